# An object storage of moto, which checks signatures, with the objects of a folder, put there by the official client.
# Prints its address and keys as JSON, and runs until its input ends.
import json
import os
import sys
from pathlib import Path

os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "3"

import boto3  # noqa: E402
import requests  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"


def client(name, key, secret):
    return boto3.client(
        name,
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
    )


iam = client("iam", "first", "first")
iam.create_user(UserName="reader")
key = iam.create_access_key(UserName="reader")["AccessKey"]
statement = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
policy = {"Version": "2012-10-17", "Statement": [statement]}
iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps(policy))

storage = client("s3", key["AccessKeyId"], key["SecretAccessKey"])
place = {"LocationConstraint": "eu-central-1"}
storage.create_bucket(Bucket="market.data", CreateBucketConfiguration=place)
# It cannot check signatures of some keys.
requests.post(f"{url}/moto-api/reset-auth", data=b"1000000")
folder = Path(sys.argv[1])
for path in sorted(folder.rglob("*")):
    if path.is_file():
        storage.put_object(Bucket="market.data", Key=path.relative_to(folder).as_posix(), Body=path.read_bytes())
for i in range(1_005):
    storage.put_object(Bucket="market.data", Key=f"many/{i:04}.txt", Body=b"x\n1\n")
requests.post(f"{url}/moto-api/reset-auth", data=b"0")
signed = storage.generate_presigned_url("get_object", Params={"Bucket": "market.data", "Key": "prices.parquet"})
print(json.dumps({"url": url, "key": key["AccessKeyId"], "secret": key["SecretAccessKey"], "signed": signed}), flush=True)
sys.stdin.read()
server.stop()
