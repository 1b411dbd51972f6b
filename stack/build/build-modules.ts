import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, stop, type BuildOptions, type Plugin } from 'esbuild'
import { digestSources, listEntries } from './sources.ts'

/** Builds that have not been used for so long are removed. */
const KEPT_MS = 30 * 86_400_000

/** Packages without native parts that threads use most: each is some files up to a hundred. */
const INSIDE_THREADS = ['canonicalize', 'lru-cache', 're2js', 'zod']

/**
 * Returns the folder of a build of the present sources, made when there is none: a file for each process and each thread, with
 * all modules of the project that it imports. Packages stay where they are, except small ones in threads. The built files
 * are plain JavaScript, in which traces of errors name functions. Null when it cannot be made, as in a folder
 * that cannot be written to: then the sources themselves run, which only takes longer to load.
 */
export async function findBuild(
  projectDir: string,
  { canBuild, log }: { readonly canBuild: boolean; readonly log: (line: string) => void },
): Promise<string | null> {
  // Inside of the project, where the built files find the packages.
  const parent = join(projectDir, 'node_modules', '.cache', 'svc', 'built')
  try {
    const folder = join(parent, digestSources(projectDir))
    if (!existsSync(folder)) {
      if (!canBuild) return null
      await mkdir(parent, { recursive: true })
      await removeUnused(parent)
      await buildInto(projectDir, folder)
    }
    await keepBuild(folder)
    return folder
  } catch (error) {
    log(`the modules could not be built, so the service runs from its sources: ${String(error)}`)
    return null
  }
}

/**
 * Marks a build as used. A process reads the files of its threads when it needs them, so one that runs on marks its build each
 * day.
 */
export async function keepBuild(folder: string): Promise<void> {
  // A folder of another user can be used all the same.
  await utimes(folder, new Date(), new Date()).catch(() => undefined)
}

async function buildInto(projectDir: string, folder: string): Promise<void> {
  const draft = await mkdtemp(`${folder}.`)
  try {
    const { processes, threads } = listEntries(projectDir)
    const options: BuildOptions = {
      absWorkingDir: projectDir,
      outbase: projectDir,
      outdir: draft,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: `node${process.versions.node}`,
      logLevel: 'silent',
    }
    await Promise.all([
      build({ ...options, entryPoints: [...processes], plugins: [placeOfSource, keepPackages([])] }),
      build({ ...options, entryPoints: [...threads], plugins: [placeOfSource, keepPackages(INSIDE_THREADS)] }),
    ])
    if (basename(folder) !== digestSources(projectDir)) throw new Error('the sources changed meanwhile')
    // Another process may have been faster: its build is the same.
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    // Its process would stay as long as this one.
    await stop()
    await rm(draft, { recursive: true, force: true })
  }
}

/** Files beside a source are found from the source, wherever its code runs. */
const placeOfSource: Plugin = {
  name: 'place-of-source',
  setup(context) {
    context.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' }
    })
  },
}

/** Leaves packages as imports, except the named ones. */
function keepPackages(inside: readonly string[]): Plugin {
  return {
    name: 'keep-packages',
    setup(context) {
      context.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || inside.includes(path.split('/')[0] ?? '')) return undefined
        return { path, external: true }
      })
    },
  }
}

async function removeUnused(parent: string): Promise<void> {
  const oldest = Date.now() - KEPT_MS
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    // Another process may have removed or renamed it meanwhile.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: oldest }))
    if (mtimeMs < oldest) await rm(folder, { recursive: true, force: true })
  }
}
