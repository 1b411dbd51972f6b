import { text } from 'node:stream/consumers'
import yauzl from 'yauzl'

/** The files of a zip as texts, in their order. */
export async function readZip(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const zip = await yauzl.fromBufferPromise(bytes, {})
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
  }
  return files
}
