import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { builtFile } from '../../core/kernel/threads/built-file.ts'
import { findBuild } from '../../stack/build/build-modules.ts'
import { listEntries } from '../../stack/build/sources.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

describe('build of the modules', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-build-test-'))
    await write('package-lock.json', '{}')
    await write('tsconfig.json', '{}')
    await write('node_modules/zod/package.json', '{"name":"zod","type":"module","main":"index.js"}')
    await write('node_modules/zod/index.js', 'export const z = { string() {} }')
    await write('api/main.ts', `export { words } from "../core/words.ts"`)
    await write('workers/main.ts', 'export const isWorker: boolean = 1 < 2')
    await write(
      'core/words.ts',
      `import { z } from 'zod'\nexport const words: readonly string[] = [z.string.name, import.meta.url]`,
    )
    await write('core/count-thread.ts', `import { words } from "./words.ts"\nserveTasks(words)`)
    await write('core/open-count-thread.ts', 'export const notOne = 1')
  })
  afterEach(async () => await rm(folder, { recursive: true }))

  async function write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }

  const lines: string[] = []
  const build = async (canBuild = true) => await findBuild(folder, { canBuild, log: (line) => lines.push(line) })
  const read = async (built: string | null, file: string) => await readFile(join(built ?? '', file), 'utf8')

  it('holds each process and each thread in one file, which finds what lies beside its sources', async () => {
    const built = await build()
    expect((await readdir(built ?? '', { recursive: true })).filter((name) => name.endsWith('.mjs'))).to.have.members([
      'api/main.mjs',
      'workers/main.mjs',
      'core/count-thread.mjs',
    ])
    const api = await read(built, 'api/main.mjs')
    expect(api).to.contain(pathToFileURL(join(folder, 'core/words.ts')).href)
    expect(api.match(/from "[^"]+"/g)).to.deep.equal(['from "zod"'])
    expect(await read(built, 'core/count-thread.mjs')).not.to.match(/^import /m)
  })

  it('is made once for the same sources, and again when one of them changes', async () => {
    expect(await build(false)).to.equal(null)
    const [first, second] = [await build(), await build(false)]
    expect(first).to.be.a('string').and.to.equal(second)
    const { atime, mtime } = await stat(join(folder, 'workers/main.ts'))
    await write('workers/main.ts', 'export const isWorker: boolean = 1 > 0')
    // As many bytes at the same time.
    await utimes(join(folder, 'workers/main.ts'), atime, mtime)
    expect(await build(false)).to.equal(null)
    const third = await build()
    expect(await read(third, 'workers/main.mjs')).to.contain('1 > 0')
    expect(await read(first, 'workers/main.mjs'), 'that of a running process').not.to.contain('1 > 0')
  })

  it('is left out when it cannot be made, with the reason', async () => {
    await write('node_modules/.cache', 'a file in the place of a folder')
    expect(await build()).to.equal(null)
    expect(lines.at(-1)).to.match(/^the modules could not be built, so the service runs from its sources: .*ENOTDIR/)
  })

  it('takes the place of a source of this project alone, where it holds it', async () => {
    const own = await findBuild(PROJECT, { canBuild: true, log: () => undefined })
    const source = pathToFileURL(join(PROJECT, 'api/main.ts'))
    expect(fileURLToPath(builtFile(source, own))).to.equal(join(own ?? '', 'api/main.mjs'))
    const unbuilt = pathToFileURL(join(PROJECT, 'cli/main.ts'))
    expect(builtFile(unbuilt, own)).to.equal(unbuilt)
    const elsewhere = pathToFileURL(join(folder, 'api/main.ts'))
    expect(builtFile(elsewhere, own)).to.equal(elsewhere)
    expect(builtFile(source, await build())).to.equal(source)
  })

  it('knows every file with which a thread of the service begins', async () => {
    const begun = globSync('{activities,api,cli,core,db,workers}/**/*.ts', { cwd: PROJECT }).flatMap((file) => {
      const text = readFileSync(join(PROJECT, file), 'utf8')
      return [...text.matchAll(/new URL\('([^']*-thread\.ts)', import\.meta\.url\)/g)].map(([, path = '']) =>
        relative(PROJECT, resolve(PROJECT, dirname(file), path)),
      )
    })
    expect(listEntries(PROJECT).threads).to.have.members([...new Set(begun)])
  })
})
