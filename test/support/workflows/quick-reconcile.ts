import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const YAML = new URL('../../../temporal.yaml', import.meta.url)

/** Writes the project's temporal.yaml to a folder, with a reconcile every two seconds, and returns its path. */
export async function quickReconcile(folder: string): Promise<string> {
  const path = join(folder, 'temporal.yaml')
  await writeFile(path, (await readFile(YAML, 'utf8')).replace('every: 30s', 'every: 2s'))
  return path
}
