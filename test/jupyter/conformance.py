"""The kernel conformance tests of Jupyter (package jupyter_kernel_test), for a kernel that runs TypeScript.

The kernel is named by the environment variable KERNEL.
"""

import os
import unittest

import jupyter_kernel_test

KERNEL = os.environ["KERNEL"]
OWN = KERNEL.startswith("arrowbook")
# A limit for hangs alone, in seconds. The package waits 0.1 s for the messages that follow a reply, which a busy
# machine exceeds.
PATIENCE = 60


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

    def flush_channels(self):
        """Drops what is left of earlier requests, up to the idle status of a request of its own."""
        super().flush_channels()
        msg_id = self.kc.kernel_info()
        for get in (self.kc.get_shell_msg, self.kc.get_iopub_msg):
            while not self.ends(get(timeout=PATIENCE), msg_id):
                pass

    @staticmethod
    def ends(message, msg_id):
        is_last = message["msg_type"] != "status" or message["content"]["execution_state"] == "idle"
        return is_last and message["parent_header"].get("msg_id") == msg_id

    def execute_helper(self, code, **options):
        channel = self.kc.iopub_channel
        get_msg = channel.get_msg
        channel.get_msg = lambda timeout: get_msg(timeout=PATIENCE)
        try:
            return super().execute_helper(code, **{"timeout": PATIENCE, **options})
        finally:
            del channel.get_msg


class WelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = KERNEL
    support_iopub_welcome = OWN


if __name__ == "__main__":
    unittest.main(verbosity=2)
