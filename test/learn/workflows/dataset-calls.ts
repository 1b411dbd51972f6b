import { expect } from 'chai'
import { runCli } from '../../support/cli/run-cli.ts'
import type { Answer, ApiTenant, TestApi } from '../../support/api.ts'

/** Calls of a tenant that works with datasets. */
export function datasetCalls(api: TestApi, tenant: () => ApiTenant) {
  const call = async (method: string, path: string, body?: object, headers = {}): Promise<Answer> =>
    await api.call(method, path, { key: tenant().key, headers, ...(body !== undefined && { body }) })
  const get = async (path: string) => {
    const answer = await call('GET', path)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const post = async (path: string, body: object, status = 201, headers = {}) => {
    const answer = await call('POST', path, body, headers)
    expect(answer.status, answer.text).to.equal(status)
    return answer.body
  }
  /** Makes a dataset of files. */
  const upload = async (files: Readonly<Record<string, string | Uint8Array>>, spec: object): Promise<Answer> => {
    const form = new FormData()
    form.append('spec', JSON.stringify(spec))
    for (const [name, content] of Object.entries(files)) {
      form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name)
    }
    return await api.call('POST', '/v1/datasets', { key: tenant().key, raw: form })
  }
  /** Logs calls in a namespace, and returns their captures. */
  const capture = async (namespace: string, items: readonly (readonly [string, string])[]) => {
    const pairs = items.map(([input, output]) => ({ input, output }))
    const answer = await call('POST', '/v1/capture/log', { namespace, provider: 'openai', model: 'm', items: pairs })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return (await get(`/v1/captures/list?namespace=${namespace}&limit=200`)).captures
  }
  const rowsOf = async (id: string, query = '') => (await get(`/v1/datasets/${id}/rows?limit=500${query}`)).rows
  return { call, get, post, upload, capture, rowsOf }
}

/** Rows that are unlike each other, from a number on. */
export function inlineRows(from: number, count: number) {
  return Array.from({ length: count }, (_, at) => ({ prompt: `question number ${from + at}`, completion: 'yes' }))
}

/** Returns `svc …` in a folder. */
export function commands(folder: string, env: Readonly<Record<string, string>>) {
  return async (...args: string[]) => await runCli(args, { folder, profileDir: folder, env })
}

/** Returns `svc data …` in a folder: it answers what the command printed. */
export function dataCommands(folder: string, env: Readonly<Record<string, string>>) {
  const run = commands(folder, env)
  return async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run('data', ...args)
    expect(code, stderr).to.equal(0)
    return stdout
  }
}
