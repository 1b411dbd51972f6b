import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@temporalio/worker'
import type { BundleReply, BundleRequest } from './bundle-process.ts'

/** Folders whose sources can end up in the bundle: workflow code, the pure parts of core, the failure converter. */
const SOURCE_FOLDERS = ['workflows', 'core', 'temporal'] as const
const KEPT_BUNDLES = 4

/** Options of the bundle. */
export interface WorkflowBundleOptions {
  /** Folder that caches bundles between starts. */
  readonly cacheDir: string
  /** Module of the failure converter, when payloads are encrypted. */
  readonly failureConverterPath?: string | undefined
  readonly logger: Logger
}

/**
 * Returns the workflow code as one script. Making it takes seconds, so it is cached under the digest of all its
 * sources; a cache that cannot be read or written only costs that time.
 */
export async function loadWorkflowBundle(options: WorkflowBundleOptions): Promise<{ code: string }> {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  const path = join(options.cacheDir, `workflows-${await digestSources(root, options)}.js`)
  const cached = await readFile(path, 'utf8').catch(() => undefined)
  if (cached !== undefined) return { code: cached }
  const code = await bundle({
    workflowsPath: join(root, 'workflows', 'index.ts'),
    failureConverterPath: options.failureConverterPath,
  })
  await keep(path, code).catch((error: unknown) => {
    options.logger.warn('the workflow bundle could not be cached; the next start makes it again', { error })
  })
  return { code }
}

/** Makes the bundle in a separate process, which frees the bundler's memory when it ends. */
async function bundle(request: BundleRequest): Promise<string> {
  const child = fork(fileURLToPath(new URL('./bundle-process.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const reply = await new Promise<BundleReply>((resolve, reject) => {
    child.once('message', (message: BundleReply) => resolve(message))
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`the bundler ended with ${signal ?? code}`)))
    child.send(request)
  })
  if ('error' in reply) throw new Error(`the workflow code cannot be bundled: ${reply.error}`)
  return reply.code
}

async function digestSources(root: string, options: WorkflowBundleOptions): Promise<string> {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([root, process.version, options.failureConverterPath ?? null]))
  hash.update(await readFile(join(root, 'package-lock.json')).catch(() => ''))
  for (const folder of SOURCE_FOLDERS) {
    const names = await readdir(join(root, folder), { recursive: true })
    for (const name of names.filter((file) => file.endsWith('.ts')).toSorted()) {
      hash.update(`${folder}/${name}\0`).update(await readFile(join(root, folder, name)))
    }
  }
  return hash.digest('hex').slice(0, 32)
}

/** Written beside its place and renamed, so that no other process reads half of it. */
async function keep(path: string, code: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, code)
  await rename(draft, path)
  const others = (await readdir(folder)).filter((name) => /^workflows-[0-9a-f]{32}\.js$/.test(name))
  const aged = await Promise.all(
    others.map(async (name) => ({ name, madeAt: (await stat(join(folder, name))).mtimeMs })),
  )
  for (const { name } of aged.toSorted((a, b) => b.madeAt - a.madeAt).slice(KEPT_BUNDLES)) {
    await rm(join(folder, name), { force: true })
  }
}
