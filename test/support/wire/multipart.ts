const SPEC = '{"task":"Write it in capitals","mode":"async"}'

/** The headers of `upload`. */
export const MULTIPART = { 'content-type': 'multipart/form-data; boundary=X' } as const

/** The multipart body of a compile: a spec, and one file of this name and text. */
export function upload(filename: string, text: string, spec = SPEC): Uint8Array<ArrayBuffer> {
  const head = (disposition: string) => `--X\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const body = `${head('name="spec"')}${spec}\r\n${head(`name="file"; filename="${filename}"`)}${text}\r\n--X--\r\n`
  return new Uint8Array(Buffer.from(body))
}
