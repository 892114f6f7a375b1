/** A reporter that prints the outcome of each attempt as a line of JSON. */
class Outcomes {
  onTestEnd(test, result) {
    const waited = result.annotations.find(({ type }) => type === 'waitedMs');
    const line = {
      title: test.title,
      failed: result.status !== 'passed',
      error: result.errors[0]?.message ?? null,
      ms: result.duration,
      waitedMs: waited === undefined ? null : Number(waited.description),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }

  onError(error) {
    process.stderr.write(`${error.message}\n`);
  }

  printsToStdio() {
    return true;
  }
}

export default Outcomes;
