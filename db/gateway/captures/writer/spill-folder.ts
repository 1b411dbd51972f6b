import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const LOCK_FILE = 'lock'
/** Begins the name of a folder that is being made: other processes pass over it. */
const NEW = 'new-'

/** A folder of spill files, held by one process. */
export interface HeldFolder {
  readonly path: string
  /** Gives the folder up. Its files stay for the next holder. */
  release(): void
  /** Removes the folder; it must hold no records any more. */
  remove(): Promise<void>
}

/**
 * Makes a folder of this process under `root` and holds it. The lock is SQLite's, on an open file: the system drops it when
 * the process dies, however it dies, and keeps it for one that is only stopped.
 */
export async function makeFolder(root: string): Promise<HeldFolder> {
  const name = randomUUID()
  const draft = join(root, `${NEW}${name}`)
  await mkdir(draft, { recursive: true, mode: 0o700 })
  const lock = take(draft)
  if (lock === undefined) throw new Error('a new folder is held already')
  const path = join(root, name)
  // Held before others see it.
  await rename(draft, path)
  return heldFolder(path, lock)
}

/** Takes over the folders under `root` whose processes are gone. */
export async function takeLeftFolders(root: string): Promise<readonly HeldFolder[]> {
  const names = await readdir(root).catch(() => [])
  const taken: HeldFolder[] = []
  for (const name of names) {
    if (name.startsWith(NEW)) continue
    const path = join(root, name)
    const lock = take(path)
    if (lock !== undefined) taken.push(heldFolder(path, lock))
  }
  return taken
}

function heldFolder(path: string, lock: DatabaseSync): HeldFolder {
  let isHeld = true
  const release = (): void => {
    if (isHeld) lock.close()
    isHeld = false
  }
  return {
    path,
    release,
    async remove() {
      await rm(path, { recursive: true, force: true })
      release()
    },
  }
}

function take(folder: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(folder, LOCK_FILE))
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch {
    // Held, or removed by its holder a moment ago.
    lock?.close()
    return undefined
  }
}
