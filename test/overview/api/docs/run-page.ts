import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { runCli } from '../../../support/cli/run-cli.ts'
import { cacheVariables } from '../../../support/stack/caches.ts'
import { writeGiven } from './given-files.ts'
import { reasonNotToRun, snippetsOf, type Snippet } from './snippets.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** An id of any kind, as pages write it: `cmp_…`. */
const ID = /\b(cmp|cpt|ver|key|ks|ses|shr)_…/g

/** A command that calls `svc` with plain words and quoted texts, with a comment or without: for it, no shell does anything. */
const PLAIN = /^(?:npx )?svc((?: +(?:'[^']*'|"[^"$`\\!]*"|[\w./:@=,%+-]+))*)(?: +#[^\n]*)?\s*$/

/** The exit and the output of a command. */
interface Ended {
  readonly code: number
  readonly output: string
}

/** The variables of the commands of a page. */
interface PageEnvironment extends NodeJS.ProcessEnv {
  readonly XDG_CONFIG_HOME: string
}

/** Where the blocks of a page run. */
export interface PageContext {
  readonly url: string
  /** The account's key, for `$KEY`. */
  readonly key: string
}

/**
 * Runs the commands of a page in their order, in a folder of its own with the files that the page shows, and compares the
 * output with the blocks that show it. `svc` and `npx svc` are the real CLI, in a process of its own where a shell has
 * anything to do. An id that a page shortens to `cmp_…` is the
 * last one of its kind that a command printed.
 */
export async function runPage(page: string, { url, key }: PageContext): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-docs-'))
  try {
    const bin = join(folder, '.bin')
    await mkdir(bin)
    const cli = `#!/bin/sh\n[ "$(basename "$0")" = npx ] && shift\nexec '${process.execPath}' '${ROOT}cli/main.ts' "$@"\n`
    for (const name of ['svc', 'npx']) {
      await writeFile(join(bin, name), cli)
      await chmod(join(bin, name), 0o755)
    }
    for (const name of ['quickstart', 'bases']) await symlink(join(ROOT, name), join(folder, name))
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, '.config'),
      ...cacheVariables(),
      SVC_URL: url,
      KEY: key,
    }
    await mkdir(join(folder, '.config/svc'), { recursive: true })
    // Most pages begin with an account; those that sign up replace it.
    if (!snippetsOf(page).some(({ text }) => text.includes('svc signup')))
      await runCli(['login'], { folder, profileDir: env.XDG_CONFIG_HOME, env, stdin: key })
    let seen = ''
    for (const command of await writeGiven(page, folder)) {
      const { code, output } = await run(command, folder, env)
      expect(code, output).to.equal(0)
      seen += output
    }
    let printed = ''
    for (const snippet of snippetsOf(page)) {
      if (reasonNotToRun(snippet) !== undefined) continue
      const [mark = ''] = snippet.marks
      if (snippet.language === 'sh') {
        const expected = mark.startsWith('exits-') ? Number(mark.slice(6)) : 0
        printed = ''
        for (const command of commandsOf(snippet.text)) {
          const script = command
            .replaceAll(ID, (whole, kind: string) => lastId(seen, kind) ?? whole)
            .replaceAll(/(?:127\.0\.0\.1|localhost):8080/g, new URL(url).host)
          const { code, output } = await run(script, folder, env)
          expect(code, `${placeOf(snippet)}\n${script}\n${output}`).to.equal(expected)
          printed += output
          seen += output
        }
        env.KEY = (await keyOf(folder)) ?? key
      } else if (snippet.language === 'text') expectLines(snippet, printed)
      else if (mark !== '' && snippet.language !== 'json') await writeFile(join(folder, mark), snippet.text)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs a command: by the shell, or without it where it is a plain call of `svc`. */
async function run(script: string, folder: string, env: PageEnvironment): Promise<Ended> {
  const words = PLAIN.exec(script.replaceAll('\\\n', ' '))?.[1]
  if (words === undefined) return await shell(script, folder, env)
  const args = [...words.matchAll(/'([^']*)'|"([^"]*)"|([^ '"]+)/g)].map((found) => found.slice(1).join(''))
  const { code, stdout, stderr } = await runCli(args, { folder, profileDir: env.XDG_CONFIG_HOME, env })
  return { code: code ?? 1, output: `${stdout}\n${stderr}` }
}

async function shell(script: string, cwd: string, env: PageEnvironment): Promise<Ended> {
  return await new Promise((resolve) => {
    execFile(
      'bash',
      ['--norc', '--noprofile', '-euo', 'pipefail', '-c', script],
      { cwd, env },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: `${stdout}\n${stderr}` })
      },
    ).stdin?.end()
  })
}

/** Divides a block into its commands: a command continues after a backslash, and within quotes. */
function commandsOf(block: string): readonly string[] {
  const commands: string[] = []
  let open = ''
  for (const line of block.split('\n').filter((text) => text !== '')) {
    open += `${line}\n`
    if (line.endsWith('\\') || (open.match(/'/g) ?? []).length % 2 === 1) continue
    commands.push(open)
    open = ''
  }
  return commands
}

/** Reads the key of the folder's profile. */
async function keyOf(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, '.config/svc/config.json'), 'utf8').catch(() => '{}')
  const profile: { readonly api_key?: string } = JSON.parse(text)
  return profile.api_key
}

/** Returns the last id of a kind; the public part of a key counts as one. */
function lastId(text: string, kind: string): string | undefined {
  return [...text.matchAll(new RegExp(`\\b${kind}_[0-9a-z]{${kind === 'ks' ? 12 : 26}}`, 'g'))].at(-1)?.[0]
}

/** Expects that each line of a block stands in the output, in this order; `…` stands for anything. */
function expectLines(snippet: Snippet, output: string): void {
  let rest = output
  for (const line of snippet.text.split('\n').filter((part) => part !== '')) {
    const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    const match = new RegExp(parts.join('.*')).exec(rest)
    expect(match, `${placeOf(snippet)} shows "${line}", but the output is:\n${output}`).not.to.equal(null)
    rest = rest.slice((match?.index ?? 0) + (match?.[0].length ?? 0))
  }
}

function placeOf({ page, line }: Snippet): string {
  return `${page}:${line}`
}
