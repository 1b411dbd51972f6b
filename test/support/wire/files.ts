import type { TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import type { Answer, useApi } from '../api.ts'

type Api = ReturnType<typeof useApi>

/** A file that a caller sends. */
export interface SentFile {
  readonly name: string
  readonly bytes: string | Uint8Array
  readonly mapping?: TableMapping
}

/** Sends a file to be compiled, and answers as soon as the job is accepted or refused. */
export async function sendFile(api: Api, key: string, file: SentFile, spec: object = {}): Promise<Answer> {
  return await api.call('POST', '/v1/compile', {
    key,
    raw: formOf(file, { task: 'Do as the rows do', mode: 'async', mapping: file.mapping, ...spec }),
  })
}

/** Sends a file to be previewed. */
export async function previewFile(api: Api, key: string | undefined, file: SentFile): Promise<Answer> {
  return await api.call('POST', '/v1/compile/preview', {
    ...(key !== undefined && { key }),
    raw: formOf(file, { mapping: file.mapping }),
  })
}

function formOf({ name, bytes }: SentFile, spec: object): FormData {
  const form = new FormData()
  form.append('spec', JSON.stringify(spec))
  form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name)
  return form
}
