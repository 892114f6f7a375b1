import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One instruction, its lines joined and its comments gone. */
export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

export const DOCKERFILE = readFileSync(join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8');

/** The instructions of a build stage, by its name; of the last one, which has none, by ''. */
export function stageOf(dockerfile: string, name: string): Instruction[] {
  const lines = dockerfile.replace(/^#.*\n/gm, '').replace(/\s*\\\n\s*/g, ' ');
  const [, ...stages] = lines.split(/^(?=FROM )/m);
  const stage = stages.find((text) => (/^FROM \S+ AS (\w+)$/m.exec(text)?.[1] ?? '') === name) ?? '';
  return [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, keyword = '', text = '']) => ({ keyword, text }));
}

/** What a container of the image is started with. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingDirectory: string;
  readonly volume: string;
  readonly ports: readonly string[];
  /** As Docker runs them without a shell in between. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Throws where an instruction is missing, or a command is left to a shell. */
export function imageConfig(dockerfile: string): ImageConfig {
  const last = stageOf(dockerfile, '');
  const text = (keyword: string) => {
    const found = last.filter((instruction) => instruction.keyword === keyword);
    if (found.length !== 1) throw new Error(`expected one ${keyword}, there are ${found.length}`);
    return found[0]?.text ?? '';
  };
  return {
    env: Object.fromEntries(
      [...text('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    ),
    user: text('USER'),
    workingDirectory: text('WORKDIR'),
    volume: text('VOLUME'),
    ports: text('EXPOSE').split(' '),
    entrypoint: wordsOf(text('ENTRYPOINT')),
    command: wordsOf(text('CMD')),
    healthCheck: wordsOf(text('HEALTHCHECK').replace(/^(--\S+ )*CMD /, '')),
  };
}

function wordsOf(execForm: string): string[] {
  const words: unknown = JSON.parse(execForm);
  if (!Array.isArray(words)) throw new Error(`no exec form: ${execForm}`);
  return words.map(String);
}
