import express from 'express';

// This program measures Express alone with the same answer.
const body = JSON.parse(process.argv[2]);
const app = express();
app.get('/', (_request, response) => {
  response.json(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/` }));
});
process.once('SIGTERM', () => process.exit(0));
