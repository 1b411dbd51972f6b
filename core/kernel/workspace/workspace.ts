import { constants } from 'node:fs'
import { open, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { invalidField, KERNEL_ERRORS, type DomainError } from '../errors.ts'

/** A file of a workspace, open for reading. Close its handle. */
export interface WorkspaceFile {
  readonly handle: FileHandle
  readonly sizeBytes: number
  /** Changes with every write to the file: its size, its times and its place on the disk. */
  readonly stamp: string
}

/**
 * Returns the normal form of an absolute path that a request names, inside the workspace of its tenant: the folder of the
 * operator's workspaces (`SVC_WORKSPACES_DIR`) that has the tenant's id as its name. Touches no file. Throws
 * `validation_failed` for a relative path and `path_outside_workspace` for one outside; neither message repeats the path.
 */
export function workspacePath(
  folder: string | undefined,
  { tenantId, path, field }: { readonly tenantId: string; readonly path: string; readonly field: string },
): string {
  if (!isAbsolute(path)) throw invalidField(field, 'must be an absolute path')
  if (folder === undefined)
    throw outside(field, 'this service has no workspaces (SVC_WORKSPACES_DIR); upload the files')
  const root = join(resolve(folder), tenantId)
  const normal = resolve(path)
  if (path.includes('\0') || !normal.startsWith(`${root}${sep}`)) {
    throw outside(field, 'is outside of your workspace; its folder has the id of your tenant as its name')
  }
  return normal
}

/**
 * Opens a file of a workspace without following a link in any part of its path below the operator's folder. It then
 * compares the place of the open file with the requested one, so that a link that was put there meanwhile is refused too.
 * Returns null when there is no such file. Throws `path_outside_workspace`.
 */
export async function openInWorkspace(
  folder: string | undefined,
  place: { readonly tenantId: string; readonly path: string; readonly field: string },
): Promise<WorkspaceFile | null> {
  const named = workspacePath(folder, place)
  const given = resolve(folder ?? sep)
  // The operator's own folder may be reached by a link.
  const base = await realpath(given).catch(() => null)
  if (base === null) return null
  const path = join(base, named.slice(given.length))
  const handle = await openPlain(path, place.field)
  if (handle === null) return null
  try {
    const facts = await handle.stat({ bigint: true })
    if (!facts.isFile()) throw outside(place.field, 'is no file')
    if ((await placeOf(handle, path, facts)) !== path) throw linked(place.field)
    const { size, mtimeNs, ctimeNs, dev, ino } = facts
    return { handle, sizeBytes: Number(size), stamp: [size, mtimeNs, ctimeNs, dev, ino].join('.') }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Returns the paths of the files below a folder of a workspace, relative to it and sorted; links are left out. Null for a
 * path that is no folder. Throws `path_outside_workspace`, also for a folder that a link leads to, and
 * `validation_failed` for one with more than `mostEntries` entries.
 */
export async function listInWorkspace(
  folder: string | undefined,
  place: { readonly tenantId: string; readonly path: string; readonly field: string },
  mostEntries: number,
): Promise<readonly string[] | null> {
  const named = workspacePath(folder, place)
  const given = resolve(folder ?? sep)
  const base = await realpath(given).catch(() => null)
  if (base === null) return null
  const path = join(base, named.slice(given.length))
  const real = await realpath(path).catch(() => null)
  if (real === null || !(await stat(real)).isDirectory()) return null
  if (real !== path) throw linked(place.field)
  const files: string[] = []
  let entries = 0
  for await (const entry of await opendir(path, { recursive: true })) {
    if (++entries > mostEntries) {
      throw invalidField(place.field, `names a folder of more than ${mostEntries} entries`)
    }
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name).slice(path.length + 1))
  }
  return files.sort()
}

async function openPlain(path: string, field: string): Promise<FileHandle | null> {
  try {
    // A pipe without a writer would never open otherwise.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ELOOP') throw linked(field)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ENXIO') return null
    throw error
  }
}

/** Returns the real path of an open file; an empty text for one that was moved meanwhile. */
async function placeOf(
  { fd }: FileHandle,
  path: string,
  { dev, ino }: { readonly dev: bigint; readonly ino: bigint },
): Promise<string> {
  if (process.platform === 'linux') return await readlink(`/proc/self/fd/${fd}`)
  const real = await realpath(path)
  const there = await stat(real, { bigint: true })
  return there.dev === dev && there.ino === ino ? real : ''
}

function linked(field: string): DomainError {
  return outside(field, 'leads through a link; name the file itself')
}

function outside(field: string, message: string): DomainError {
  return invalidField(field, message, KERNEL_ERRORS.path_outside_workspace)
}
