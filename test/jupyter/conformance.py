"""The kernel conformance tests of Jupyter (package jupyter_kernel_test), for a kernel that runs TypeScript.

The kernel is named by the environment variable KERNEL.
"""

import os
import unittest

import jupyter_kernel_test

KERNEL = os.environ["KERNEL"]
OWN = KERNEL.startswith("arrowbook")


class TypeScriptKernelTests(jupyter_kernel_test.KernelTests):
    kernel_name = KERNEL
    language_name = "typescript"
    file_extension = ".ts"
    code_hello_world = "console.log('hello, world')"
    code_stderr = "console.error('on stderr')"
    completion_samples = [
        {"text": "const text = 'a'; text.toUpper", "matches": {"toUpperCase"}},
        {"text": "const rows = [{ price: 1 }]; rows.map((row) => row.pri", "matches": {"price"}},
        {"text": "JSON.str", "matches": {"stringify"}},
    ]
    complete_code_samples = ["1 + 1", "const a = 1;", "function f() { return 1; }"]
    incomplete_code_samples = ["f(", "function f() {", "const a = ["]
    code_generate_error = "throw new Error('on purpose')"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": "[1, 2].map((n) => n + 1)", "result": "[ 2, 3 ]"},
        {"code": "await Promise.resolve(5)", "result": "5"},
    ]
    code_display_data = [
        {"code": "import { display as show } from 'tslab'; show.html('<b>bold</b>')", "mime": "text/html"},
    ]
    code_inspect_sample = "JSON.stringify"
    code_history_pattern = "6 ?*"
    supported_history_operations = ("tail", "range", "search")

    if OWN:
        code_page_something = "import { page } from 'arrowbook/notebook'; page('a page')"
        code_clear_output = "import { clearOutput } from 'arrowbook/notebook'; clearOutput()"


if __name__ == "__main__":
    unittest.main(verbosity=2)
