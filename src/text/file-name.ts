import { harmlessText } from './harmless.ts';

// This module turns a text from a mail into the name of a file. The sender chose the text, and programs on the reader's
// machine act on names: a shell expands them, and a build tool runs the ones that it knows.
/** The longest name in bytes. File systems allow 255 bytes, and a number or an extension may be added. */
const MAX_BYTES = 200;
/** The part of a much longer text that is read: its end, because a file's extension is there. */
const MAX_CHARACTERS = 2_000;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?: |\.|$)/i;

/**
 * Makes the name of an attachment safe: it leads to no other directory, is not hidden, is no option of a command, and
 * no tool runs or reads a file of this name by itself. Returns `attachment` if nothing is left of it.
 */
export function attachmentFileName(name: string): string {
  return safeFileName(name.slice(-MAX_CHARACTERS).split(/[/\\]/).at(-1) ?? '', 'attachment');
}

/** Turns a text into a safe file name. Returns `otherwise` if nothing is left of the text. */
export function safeFileName(text: string, otherwise: string): string {
  const plain = harmlessText(text.slice(-MAX_CHARACTERS))
    .replace(/\s+/g, ' ')
    .replace(/[<>:"/\\|?*\u2400-\u2421\ufffd…]/g, '_')
    .replace(/^[.\s~-]+|(?<![.\s])[.\s]+$/g, '');
  const short = shortened(plain).replace(/(?<![.\s])[.\s]+$/, '');
  if (short === '') return otherwise;
  if (isReadByTools(short)) return `${short}.txt`;
  return DEVICE.test(short) ? `_${short}` : short;
}

/** Adds a number to a name, before its extension: `report (2).pdf`. */
export function numberedFileName(name: string, number: number): string {
  const [stem, extension] = split(name);
  return `${stem} (${number})${extension}`;
}

/** Cuts a name between two characters, so that it takes at most MAX_BYTES bytes with its extension. */
function shortened(name: string): string {
  const [stem, extension] = split(name);
  let room = MAX_BYTES - bytesOf(extension);
  let kept = '';
  for (const character of stem) {
    room -= bytesOf(character);
    if (room < 0) break;
    kept += character;
  }
  return kept + extension;
}

function split(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name.length - dot > 16 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

// Tools find files by their names: a package manager reads package.json, a test runner runs *.test.js in every
// directory, and `dotnet build` compiles each *.cs. The lists below hold what common tools run, compile or obey.

/** Extensions of program code, and of configuration that can name a program to run. */
const EXTENSIONS = new Set(
  [
    'js mjs cjs jsx ts mts cts tsx vue svelte astro coffee py pyw pyi pyc pth ipynb rb rake ru gemspec php phar pl pm lua',
    'c cc cpp h hpp m mm s go rs zig nim cs fs fsx vb java kt kts groovy scala clj cljs edn swift dart ex exs erl hs r jl',
    'sh bash zsh fish csh ksh ps1 psm1 psd1 bat cmd com exe scr pif msi vbs vbe jse wsf wsh hta cpl dll so dylib node',
    'jar war class lnk url desktop command tool workflow scf inf reg gradle bazel bzl cmake mk nix tf tfvars hcl',
    'sln slnx csproj fsproj vbproj vcxproj proj props targets properties config rc toml ini cfg yaml yml lock',
  ].flatMap((line) => line.split(' ')),
);

/** Whole names whose extension says nothing, or is one of documents. */
const NAMES = new Set(
  [
    'package.json package-lock.json npm-shrinkwrap.json composer.json bower.json lerna.json nx.json turbo.json rush.json',
    'project.json workspace.json angular.json ionic.json app.json now.json vercel.json netlify.json firebase.json',
    'wrangler.json wrangler.jsonc deno.json deno.jsonc biome.json biome.jsonc renovate.json nodemon.json bunfig.json',
    'jest.json vitest.json cypress.json knip.json knip.jsonc lefthook.json lint-staged.json global.json appsettings.json',
    'vcpkg.json cmakepresets.json cmakeuserpresets.json devcontainer.json tasks.json launch.json settings.json mcp.json',
    'pom.xml build.xml settings.xml ivy.xml phpunit.xml phpunit.xml.dist cmakelists.txt meson.build meson_options.txt',
    'conanfile.txt go.mod go.work build workspace sconstruct sconscript justfile configure gradlew mvnw',
    'claude.md agents.md gemini.md copilot-instructions.md skill.md',
  ].flatMap((line) => line.split(' ')),
);

const PATTERNS = [
  // mailcap.config.json, the configuration of a tool in any format
  /\.config\.[^.]*$/,
  /^[jt]sconfig[^/]*\.json$/,
  // npmrc, babelrc.json
  /rc(?:\.jsonc?)?$/,
  // Makefile, Dockerfile, Gemfile
  /^[^.]*file$/,
  /^(?:docker|container|make)file\./,
];

/** Tells whether a common tool runs, compiles or obeys a file of this name where it finds it. */
function isReadByTools(name: string): boolean {
  // A file system may take different letters of one meaning for the same, such as the long s for an s.
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase();
  const extension = folded.slice(folded.lastIndexOf('.') + 1);
  return (
    (extension !== folded && EXTENSIONS.has(extension.trim())) ||
    NAMES.has(folded) ||
    PATTERNS.some((pattern) => pattern.test(folded))
  );
}
