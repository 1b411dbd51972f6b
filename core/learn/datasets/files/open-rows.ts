import { DomainError } from '../../../kernel/errors.ts'
import { formatOfFile, type DataFile, type FileBounds, type FileRow } from './data-file.ts'
import { filesOfFolder, unpackFolder } from './folder.ts'
import { parquetRows } from './parquet-rows.ts'
import { csvRows, jsonlRows, jsonRows } from './text-rows.ts'

/** Returns the files with rows among those of a caller: a zip is a folder, and several files are one too. */
export async function openFiles(
  given: readonly DataFile[],
  { into, bounds }: { readonly into: string; readonly bounds: FileBounds },
): Promise<readonly DataFile[]> {
  const [only] = given
  if (only === undefined) return []
  if (given.length > 1) return await filesOfFolder(given, 'file')
  if ((await formatOfFile(only)) !== 'zip') return given
  return await filesOfFolder(await unpackFolder(only, into, bounds), only.name)
}

/**
 * Yields the objects of a file in any of the formats. Errors name the place in the file, and the file where there are
 * several.
 */
export async function* rowsOfFile(file: DataFile, bounds: FileBounds, isOneOfMany: boolean): AsyncGenerator<FileRow> {
  const prefix = isOneOfMany ? `${file.name}: ` : ''
  try {
    for await (const row of rowsOf(file, bounds)) {
      yield isOneOfMany ? { ...row, field: `${prefix}${row.field}` } : row
    }
  } catch (error) {
    if (!(error instanceof DomainError) || !isOneOfMany) throw error
    const details = error.details === undefined ? {} : { details: error.details }
    throw new DomainError(error, `${prefix}${error.message}`, details)
  }
}

async function* rowsOf(file: DataFile, bounds: FileBounds): AsyncGenerator<FileRow> {
  const format = await formatOfFile(file)
  switch (format) {
    case 'jsonl':
      return yield* jsonlRows(file.path, bounds)
    case 'json':
      return yield* jsonRows(file.path, bounds)
    case 'csv':
      return yield* csvRows(file.path, bounds)
    case 'parquet':
      return yield* parquetRows(file.name, file.path, bounds)
    case 'zip':
      // A zip within a folder is left out when the folder is opened.
      return
  }
}
