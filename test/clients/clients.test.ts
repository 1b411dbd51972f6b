import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { SNIPPET_LANGUAGES, writeSnippet, type SnippetLanguage } from '../../console/pages/artifacts/use/snippets.js'
import { givenApiTenant, useApi, type ApiTenant } from '../support/api.ts'
import { runCli } from '../support/cli/run-cli.ts'
import { setUpOperation } from '../support/people/given-members.ts'
import { useService } from '../support/workflows/service.ts'
import { givenHostile, HOSTILE } from './given-hostile.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const TYPESCRIPT = pathOf('clients/typescript')
const PYTHON = pathOf('clients/python')
const PYTHON_BINARY = process.env['SVC_CLIENT_PYTHON'] ?? ''

const itInTypeScript = existsSync(join(TYPESCRIPT, 'dist')) ? it : it.skip
const itInPython = PYTHON_BINARY !== '' && existsSync(join(PYTHON, 'svc_client/generated')) ? it : it.skip

/** Printed behind what each snippet prints. */
const END = `-- end of a snippet ${randomBytes(8).toString('hex')} --`

/** A language whose snippets are programs. */
interface ProgramLanguage {
  readonly extension: string
  readonly command: string
  /** The folder in whose folders programs find the client. */
  readonly parent: string
  /** Returns the program that runs files, a JSON list of their paths, and prints `END` behind each. */
  readonly runAll: (files: string) => string
}

describe('the clients', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  const versions: { readonly jobId: string; readonly versionId: string }[] = []
  before(async () => {
    tenant = await givenApiTenant(api)
    const op = setUpOperation(service.database.db, tenant.id)
    for (const task of HOSTILE) versions.push(await givenHostile(op, task, api.server.services.signingKeys.current))
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

  /** Writes the snippet of each artifact with the example that its page shows, runs them as pasted, and compares what they print. */
  const runSnippets = async (
    language: SnippetLanguage,
    paste: (snippets: readonly string[]) => Promise<readonly string[]>,
  ): Promise<void> => {
    const snippets: string[] = []
    for (const { jobId, versionId } of versions) {
      const { body } = await api.call('GET', `/v1/artifacts/${jobId}/recipe`, { key: tenant.key })
      snippets.push(writeSnippet(language, { origin: api.url, versionId, input: body.example.input }))
    }
    const printed = await paste(snippets)
    for (const [at, task] of HOSTILE.entries()) {
      const text = printed[at] ?? ''
      const output = language === 'curl' ? JSON.parse(text).output : text.replace(/\n$/, '')
      expect(output, `${task.name}: ${snippets[at]}`).to.equal(task.answer)
    }
  }

  /** Runs programs, each in a file of its own, in a folder that finds the client: one after the other, by a process that starts once. */
  const pasteInto =
    ({ extension, command, parent, runAll }: ProgramLanguage) =>
    async (snippets: readonly string[]) => {
      const folder = await mkdtemp(join(parent, '.example-'))
      try {
        const files = snippets.map((_, at) => `./snippet-${at}.${extension}`)
        for (const [at, snippet] of snippets.entries()) await writeFile(join(folder, files[at] ?? ''), snippet)
        await writeFile(join(folder, `all.${extension}`), runAll(JSON.stringify(files)))
        return (await run(command, [`all.${extension}`], folder)).split(END)
      } finally {
        await rm(folder, { recursive: true })
      }
    }

  /** Runs commands in a shell that expands the history, as one that is typed into does. */
  const pasteIntoShell = async (snippets: readonly string[], setUp = '') => {
    const commands = snippets.map((snippet) => `${snippet}\nprintf '%s' '${END}'\n`)
    const script = `${setUp}set -o history -o histexpand\n${commands.join('')}`
    return (await run('bash', ['-c', script], pathOf('.'))).split(END)
  }

  /** Runs calls of the CLI with the arguments that such a shell reads from them. */
  const pasteCalls = async (snippets: readonly string[]) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-snippets-'))
    try {
      const printed: string[] = []
      for (const words of await pasteIntoShell(snippets, `npx() { printf '%s\\0' "$@"; }\n`)) {
        const [program, ...args] = words.split('\0').slice(0, -1)
        if (program === undefined) continue
        expect(program).to.equal('svc')
        const env = { SVC_API_KEY: tenant.key }
        const { code, stdout, stderr } = await runCli(args, { folder, profileDir: folder, env })
        expect(code, stderr).to.equal(0)
        printed.push(stdout)
      }
      return printed
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  itInTypeScript('in TypeScript run ten pasted snippets (needs npm run clients)', async () => {
    const runAll = (files: string) =>
      `for (const file of ${files}) {\n  await import(file)\n  process.stdout.write('${END}')\n}\n`
    await runSnippets(
      'typescript',
      pasteInto({ extension: 'ts', command: process.execPath, parent: TYPESCRIPT, runAll }),
    )
  }).timeout(180_000)

  itInPython('in Python run ten pasted snippets (needs npm run clients with SVC_CLIENT_PYTHON)', async () => {
    const runAll = (files: string) =>
      `import runpy\nfor file in ${files}:\n    runpy.run_path(file)\n    print('${END}', end='')\n`
    await runSnippets('python', pasteInto({ extension: 'py', command: PYTHON_BINARY, parent: PYTHON, runAll }))
  }).timeout(180_000)

  it('have the same snippets for curl and the CLI', async () => {
    await runSnippets('curl', pasteIntoShell)
    await runSnippets('cli', pasteCalls)
    expect(SNIPPET_LANGUAGES.map(([language]) => language)).to.have.members(['curl', 'python', 'typescript', 'cli'])
  }).timeout(180_000)

  itInTypeScript('in TypeScript pass their own tests (needs npm run clients)', async () => {
    await run(
      process.execPath,
      ['--test', '--test-isolation=none', 'test/client.test.ts', 'test/retries.test.ts'],
      TYPESCRIPT,
    )
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
