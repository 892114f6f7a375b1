import { EXIT } from './command.ts';
import { flushed } from './output.ts';
import { isSendmail, runProgram } from './run-program.ts';

const args = process.argv.slice(2);
// A server finishes its work on SIGINT; every other command just ends.
if (args[0] !== 'dev' && !isSendmail(args)) process.once('SIGINT', () => process.exit(EXIT.interrupted));
const code = await runProgram(args);
// The output may still be in a slow pipe. A server has already waited for its reader.
if (args[0] !== 'dev') await flushed();
process.exit(code);
