import { randomBytes } from 'node:crypto'

/** A form in its multipart encoding (RFC 7578). */
export interface EncodedForm {
  readonly contentType: string
  readonly sizeBytes: number
  readonly body: ReadableStream<Uint8Array>
}

/**
 * Encodes a form as a stream that may be cancelled at any byte: a server may answer before it has read a large file, and
 * the encoding inside `fetch` then fails outside of the call.
 */
export function encodeForm(form: FormData): EncodedForm {
  const boundary = `svc-${randomBytes(16).toString('hex')}`
  const parts = [...form].map(([name, value]) => {
    const isText = typeof value === 'string'
    const file = isText ? '' : `; filename="${quoted(value.name)}"`
    const type = isText ? '' : `Content-Type: ${value.type || 'application/octet-stream'}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`
    return { head: Buffer.from(head), content: isText ? new Blob([value]) : value }
  })
  const end = Buffer.from(`--${boundary}--\r\n`)
  const sizes = parts.map(({ head, content }) => head.length + content.size + LINE_END.length)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: sizes.reduce((sum, size) => sum + size, end.length),
    body: ReadableStream.from(bytesOf(parts, end)),
  }
}

const LINE_END = Buffer.from('\r\n')

async function* bytesOf(
  parts: readonly { readonly head: Uint8Array; readonly content: Blob }[],
  end: Uint8Array,
): AsyncGenerator<Uint8Array> {
  for (const { head, content } of parts) {
    yield head
    yield* content.stream()
    yield LINE_END
  }
  yield end
}

/** Escapes a name as browsers do. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
