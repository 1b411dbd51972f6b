import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'svc-dataset-'
/** No build takes this long, so an older folder was left by a process that was killed. */
const LEFT_MS = 24 * 3_600_000

/** Makes a folder for a build, which its caller removes, and removes those that killed processes left. */
export async function makeWorkFolder(now: Date): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const path = join(tmpdir(), name)
    const facts = await stat(path).catch(() => null)
    if (facts !== null && facts.mtimeMs < now.getTime() - LEFT_MS) await rm(path, { recursive: true, force: true })
  }
  return await mkdtemp(join(tmpdir(), PREFIX))
}
