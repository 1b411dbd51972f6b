import { readFile } from 'node:fs/promises'
import { usageError } from '../../cli-error.ts'

/** Reads an archive file. Throws `CliError` with the reason why it cannot be read. */
export async function readArchiveFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw usageError(code === 'ENOENT' ? `${file}: there is no such file` : `${file}: cannot be read`, error)
  }
}
