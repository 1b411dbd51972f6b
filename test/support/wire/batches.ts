import type { Answer } from '../api.ts'
import { call } from '../api.ts'

/** A file whose rows are run. */
export interface RunFile {
  readonly name: string
  readonly bytes: string | Uint8Array
}

/** Sends a file to be run, row by row, and reads the whole answer. */
export async function runFile(
  url: string,
  caller: { readonly key: string; readonly headers?: Readonly<Record<string, string>> },
  file: RunFile,
  spec: object,
): Promise<Answer> {
  return await call(url, 'POST', '/v1/run/batch', { ...caller, raw: batchForm(file, spec) })
}

/** The parts of the call. */
export function batchForm({ name, bytes }: RunFile, spec: object): FormData {
  const form = new FormData()
  form.append('spec', JSON.stringify(spec))
  form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name)
  return form
}

/** The lines of an answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- lines are rows, or the end of the batch
export function linesOf({ text }: Answer): any[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
