import type { z } from 'zod';
import type { Cap } from './caps.ts';
import type { ToolCall } from './desk.ts';

/** A tool as data. The same table serves stdio and HTTP. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `true` if it changes nothing on the server. */
  readonly isReading: boolean;
  /** The capability that it needs; null if every agent has it. */
  readonly cap: Cap | null;
  run(call: ToolCall, given: unknown): Promise<Record<string, unknown>>;
}

interface Spec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly isReading?: boolean;
  readonly cap?: Cap;
  run(call: ToolCall, given: z.infer<Input>): Promise<z.infer<Output>>;
}

/** Declares a tool. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  name: string,
  { description, input, output, isReading = false, cap, run }: Spec<Input, Output>,
): Tool {
  return {
    name,
    description,
    // An unknown argument is refused. Otherwise an agent that misspells a filter would wait for any mail.
    input: input.strict(),
    output,
    isReading,
    cap: cap ?? null,
    run: async (call, given) => run(call, input.parse(given)),
  };
}
