import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { SNIPPET_LANGUAGES, writeSnippet, type SnippetLanguage } from '../../console/pages/artifacts/use/snippets.js'
import { givenApiTenant, useApi, type ApiTenant } from '../support/api.ts'
import { setUpOperation } from '../support/people/given-members.ts'
import { useService } from '../support/workflows/service.ts'
import { givenHostile, HOSTILE, type HostileTask } from './given-hostile.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const TYPESCRIPT = pathOf('clients/typescript')
const PYTHON = pathOf('clients/python')
const PYTHON_BINARY = process.env['SVC_CLIENT_PYTHON'] ?? ''

const itInTypeScript = existsSync(join(TYPESCRIPT, 'dist')) ? it : it.skip
const itInPython = PYTHON_BINARY !== '' && existsSync(join(PYTHON, 'svc_client/generated')) ? it : it.skip

describe('the clients', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  const run = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
    const env = {
      ...process.env,
      SVC_URL: api.url,
      SVC_API_KEY: tenant.key,
      PYTHONPATH: PYTHON,
      PYTHONDONTWRITEBYTECODE: '1',
    }
    try {
      return (await promisify(execFile)(command, args, { cwd, env })).stdout
    } catch (error) {
      const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
      throw new Error(`${command} ${args.join(' ')}\n${output}`, { cause: error })
    }
  }

  /** Runs the example of docs/guides/clients.md in a folder of its own, and compares what it prints. */
  const runExample = async (language: 'ts' | 'python', command: string, parent: string): Promise<void> => {
    const text = await readFile(pathOf('docs/guides/clients.md'), 'utf8')
    const [, code = '', printed = ''] =
      new RegExp(`\`\`\`${language}\\n(.*?)\`\`\`\\n\\n\`\`\`text\\n(.*?)\`\`\``, 's').exec(text) ?? []
    const folder = await mkdtemp(join(parent, '.example-'))
    try {
      const file = `example.${language === 'ts' ? 'ts' : 'py'}`
      await writeFile(join(folder, file), code)
      expect(await run(command, [file], folder)).to.equal(printed)
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  /** Writes the snippet of each artifact with the example that its page shows, runs it as pasted, and compares what it prints. */
  const runSnippets = async (
    language: SnippetLanguage,
    tasks: readonly HostileTask[],
    paste: (snippet: string, name: string) => Promise<string>,
  ): Promise<void> => {
    const op = setUpOperation(service.database.db, tenant.id)
    for (const task of tasks) {
      const { jobId, versionId } = await givenHostile(op, task, api.server.services.signingKeys.current)
      const { body } = await api.call('GET', `/v1/artifacts/${jobId}/recipe`, { key: tenant.key })
      const snippet = writeSnippet(language, { origin: api.url, versionId, input: body.example.input })
      const printed = await paste(snippet, task.name)
      const output = language === 'curl' ? JSON.parse(printed).output : printed.replace(/\n$/, '')
      expect(output, `${task.name}: ${snippet}`).to.equal(task.answer)
    }
  }

  /** Runs a program in a file of its own, in a folder that finds the client. */
  const pasteInto = (file: string, command: string, parent: string) => async (snippet: string) => {
    const folder = await mkdtemp(join(parent, '.example-'))
    try {
      await writeFile(join(folder, file), snippet)
      return await run(command, [file], folder)
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  /** A shell that expands the history, as one that is typed into does. */
  const pasteIntoShell = async (snippet: string) =>
    await run('bash', ['-c', `set -o history -o histexpand\n${snippet}`], pathOf('.'))

  itInTypeScript('in TypeScript run ten pasted snippets (needs npm run clients)', async () => {
    await runSnippets('typescript', HOSTILE, pasteInto('snippet.ts', process.execPath, TYPESCRIPT))
  }).timeout(180_000)

  itInPython('in Python run ten pasted snippets (needs npm run clients with SVC_CLIENT_PYTHON)', async () => {
    await runSnippets('python', HOSTILE, pasteInto('snippet.py', PYTHON_BINARY, PYTHON))
  }).timeout(180_000)

  itInTypeScript('have the same snippets for curl and the CLI (needs npm run clients)', async () => {
    await runSnippets('curl', HOSTILE, pasteIntoShell)
    const few = HOSTILE.filter(({ name }) => ['quotes', 'shell', 'an option', 'an object', 'a number'].includes(name))
    await runSnippets('cli', few, pasteIntoShell)
    expect(SNIPPET_LANGUAGES.map(([language]) => language)).to.have.members(['curl', 'python', 'typescript', 'cli'])
  }).timeout(180_000)

  itInTypeScript('in TypeScript pass their own tests (needs npm run clients)', async () => {
    await run(process.execPath, ['--test', 'test/client.test.ts', 'test/retries.test.ts'], TYPESCRIPT)
  }).timeout(120_000)

  itInTypeScript('in TypeScript print what their page says (needs npm run clients)', async () => {
    await runExample('ts', process.execPath, TYPESCRIPT)
  }).timeout(180_000)

  itInPython('in Python pass their own tests (needs npm run clients with SVC_CLIENT_PYTHON)', async () => {
    await run(PYTHON_BINARY, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'], PYTHON)
  }).timeout(120_000)

  itInPython('in Python print what their page says (needs npm run clients with SVC_CLIENT_PYTHON)', async () => {
    await runExample('python', PYTHON_BINARY, PYTHON)
  }).timeout(180_000)
})
