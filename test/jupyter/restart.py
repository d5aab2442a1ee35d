"""Restarts the kernel named by KERNEL as a Jupyter server does, and prints as JSON what ran cells before and after."""

import json
import os

from jupyter_client.manager import start_new_kernel

PATIENCE = 60


def executed(client):
    """The process that runs a cell, and the number of the cell."""
    texts = []
    reply = client.execute_interactive(
        "console.log(process.pid)",
        timeout=PATIENCE,
        output_hook=lambda message: texts.append(message["content"].get("text", "")),
    )
    return {"pid": "".join(texts).strip(), "count": reply["content"]["execution_count"]}


manager, client = start_new_kernel(kernel_name=os.environ["KERNEL"], startup_timeout=PATIENCE)
before = executed(client)
manager.restart_kernel()
client.wait_for_ready(timeout=PATIENCE)
after = executed(client)
client.stop_channels()
manager.shutdown_kernel()
print(json.dumps({"before": before, "after": after}))
