// node s3_server.js INSTALLED DATA KEY_ID SECRET: s3rver, installed in INSTALLED, on a free port, knowing one key. Prints
// "port N" when bucket "train-bucket" holds ten objects of 2 MiB and one with an awkward name, and "empty-bucket" none.
'use strict';
const http = require('http');
const path = require('path');

const [installed, directory, keyId, secret] = process.argv.slice(2);
const program = path.join(installed, 'node_modules', '@20minutes', 's3rver');
const S3rver = require(program);
const account = require(path.join(program, 'lib', 'models', 'account'));
account.DUMMY_ACCOUNT.createKeyPair(keyId, secret);

const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false });

function put(port, url, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method: 'PUT', path: url,
                                   headers: { 'content-length': body.length } }, answer => {
      answer.resume();
      answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(url + answer.statusCode))));
    });
    request.on('error', reject);
    request.end(body);
  });
}

(async () => {
  const { port } = await server.run();
  await put(port, '/empty-bucket', Buffer.alloc(0));
  await put(port, '/train-bucket', Buffer.alloc(0));
  for (let i = 0; i < 10; ++i) await put(port, `/train-bucket/train/${i}.bin`, Buffer.alloc(2 << 20, i));
  await put(port, '/train-bucket/odd/' + encodeURIComponent('a=b c+d(1)ü.bin'), Buffer.alloc(3 << 20, 7));
  await put(port, '/train-bucket/nothing/zero.bin', Buffer.alloc(0));
  console.log('port', port);
})().catch(error => {
  console.error(error);
  process.exit(1);
});
