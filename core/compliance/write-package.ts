import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import yazl from 'yazl'
import { DomainError } from '../errors.ts'
import type { Sha256 } from '../json.ts'

/** A file of a package; its text is made when its turn comes. */
export interface PackageFile {
  readonly name: string
  pieces(): AsyncIterable<string> | Iterable<string>
}

/** A file as it was written. */
export type WrittenFile = { readonly name: string; readonly sha256: Sha256; readonly bytes: number }

/** A package as a zip, with the digests of what is in it. */
export interface WrittenPackage {
  readonly zip: Buffer
  readonly files: readonly WrittenFile[]
}

/**
 * Writes files into a compressed zip, one after the other. Throws `payload_too_large` as soon as the zip passes
 * `maxBytes`, and what making a file throws.
 */
export async function writePackage(
  files: readonly PackageFile[],
  options: { readonly maxBytes: number; readonly at: Date },
): Promise<WrittenPackage> {
  const zip = new yazl.ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false })
  const written: WrittenFile[] = []
  const fail = (error: unknown): void => {
    output.destroy(error instanceof Error ? error : new Error(String(error)))
  }
  zip.on('error', fail)
  for (const file of files) {
    zip.addReadStreamLazy(file.name, { mtime: options.at, compress: true }, (open) => {
      const source = Readable.from(
        digested(file, (done) => written.push(done)),
        { objectMode: false },
      )
      source.on('error', fail)
      open(null, source)
    })
  }
  zip.end()
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of output) {
    const piece = Buffer.from(part)
    bytes += piece.length
    if (bytes > options.maxBytes) {
      throw new DomainError('payload_too_large', `the package is larger than ${options.maxBytes} bytes`, {
        details: { max_bytes: options.maxBytes, instead: '/v1/account/export' },
      })
    }
    parts.push(piece)
  }
  return { zip: Buffer.concat(parts), files: written }
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
