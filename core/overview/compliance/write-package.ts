import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import yazl from 'yazl'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import type { Sha256 } from '../../kernel/json/json.ts'
import { Spool } from './spool.ts'

/** A file of a package; its text is produced when it is written. */
export interface PackageFile {
  readonly name: string
  pieces(): AsyncIterable<string> | Iterable<string>
}

/** A file as it was written. */
export type WrittenFile = { readonly name: string; readonly sha256: Sha256; readonly bytes: number }

/** A package as a zip, with the digests of the zip and of its files. */
export interface WrittenPackage {
  /** The caller must close it. */
  readonly zip: Spool
  readonly sha256: Sha256
  readonly files: readonly WrittenFile[]
}

/**
 * Writes files into a compressed zip one after the other, holding none of them in memory. Throws `payload_too_large` as
 * soon as the zip passes `maxBytes`, and any error from producing a file.
 */
export async function writePackage(
  files: readonly PackageFile[],
  options: { readonly maxBytes: number; readonly at: Date },
): Promise<WrittenPackage> {
  const written: WrittenFile[] = []
  const output = zipOf(files, options.at, (file) => written.push(file))
  const hash = createHash('sha256')
  const zip = await Spool.open()
  try {
    for await (const part of output) {
      const bytes = Buffer.from(part)
      if (zip.sizeBytes + bytes.length > options.maxBytes) {
        throw KERNEL_ERRORS.payload_too_large(`the package is larger than ${options.maxBytes} bytes`, {
          details: { max_bytes: options.maxBytes, instead: '/v1/account/export' },
        })
      }
      hash.update(bytes)
      await zip.write(bytes)
    }
  } catch (error) {
    await zip.close()
    throw error
  }
  return { zip, sha256: `sha256:${hash.digest('hex')}`, files: written }
}

function zipOf(files: readonly PackageFile[], at: Date, onWritten: (file: WrittenFile) => void): Readable {
  const zip = new yazl.ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false })
  const fail = (error: unknown): void => {
    output.destroy(error instanceof Error ? error : new Error(String(error)))
  }
  zip.on('error', fail)
  for (const file of files) {
    zip.addReadStreamLazy(file.name, { mtime: at, compress: true }, (open) => {
      const source = Readable.from(digested(file, onWritten), { objectMode: false })
      source.on('error', fail)
      open(null, source)
    })
  }
  zip.end()
  return output
}

async function* digested(file: PackageFile, onEnd: (written: WrittenFile) => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const text of file.pieces()) {
    if (text === '') continue
    const piece = Buffer.from(text)
    hash.update(piece)
    bytes += piece.length
    yield piece
  }
  onEnd({ name: file.name, sha256: `sha256:${hash.digest('hex')}`, bytes })
}
