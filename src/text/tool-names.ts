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
export function isReadByTools(name: string): boolean {
  // A file system may take different letters of one meaning for the same, such as the long s for an s.
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase();
  const extension = folded.slice(folded.lastIndexOf('.') + 1);
  return (
    (extension !== folded && EXTENSIONS.has(extension.trim())) ||
    NAMES.has(folded) ||
    PATTERNS.some((pattern) => pattern.test(folded))
  );
}
