import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An instruction with its lines joined and its comments removed. */
export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

export const DOCKERFILE = readFileSync(join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8');

/** Returns the instructions of a build stage by its name. The last stage has the name ''. */
export function stageOf(dockerfile: string, name: string): Instruction[] {
  const lines = dockerfile.replace(/^#.*\n/gm, '').replace(/\s*\\\n\s*/g, ' ');
  const [, ...stages] = lines.split(/^(?=FROM )/m);
  const stage =
    stages.find((text) => (/^FROM (?:--platform=\S+ )?\S+ AS (\w+)$/m.exec(text)?.[1] ?? '') === name) ?? '';
  return [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, keyword = '', text = '']) => ({ keyword, text }));
}

/** The settings with which a container of the image starts. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingDirectory: string;
  readonly volume: string;
  readonly ports: readonly string[];
  /** The words of the command, which Docker runs without a shell. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Returns the settings of an image. Throws if an instruction is missing or a command needs a shell. */
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
