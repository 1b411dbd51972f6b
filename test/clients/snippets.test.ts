import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { type SnippetLanguage, type Value, writeSnippet } from '../../console/pages/artifacts/use/snippets.js'
import { HOSTILE } from './given-hostile.ts'

const FACTS = { origin: 'https://svc.example.org', versionId: 'ver_1' }
const write = (language: SnippetLanguage, input: Value) => writeSnippet(language, { ...FACTS, input })

/** A word between single quotes as a shell reads it, which is as it stands. */
function quoted(snippet: string): string {
  const [, text = ''] = /'([^']*)'$/.exec(snippet) ?? []
  return text
}

describe('snippets of an artifact', () => {
  it('hold an input that a shell passes on unchanged', () => {
    for (const { name, input } of HOSTILE) {
      const curl = quoted(write('curl', input))
      expect(curl, name).to.not.contain('!')
      expect(JSON.parse(curl), name).to.deep.equal({ version_id: 'ver_1', input })
      const cli = write('cli', input)
      if (cli.includes(' --json-input -- ')) expect(JSON.parse(quoted(cli)), name).to.deep.equal(input)
      else expect(quoted(cli), name).to.equal(input)
    }
    expect(write('cli', 'Ada Lovelace')).to.equal(
      `npx svc run --url 'https://svc.example.org' --text ver_1 'Ada Lovelace'`,
    )
    expect(write('cli', '-5')).to.match(/ --json-input -- ver_1 '"-5"'$/)
  })

  it('hold an input that TypeScript reads as the same value, and no character that is not seen', () => {
    for (const { name, input } of HOSTILE) {
      const [, literal = ''] = /\.run\((.*)\)\nconsole/s.exec(write('typescript', input)) ?? []
      const value: unknown = JSON.parse(String(runInNewContext(`JSON.stringify(${literal})`)))
      expect(value, name).to.deep.equal(input)
      for (const language of ['curl', 'python', 'typescript', 'cli'] as const) {
        expect(write(language, input), name).to.not.match(/[\u202e\u2028\ufeff]/)
      }
    }
  })

  it('write the values of Python, and long ones over several lines', () => {
    expect(write('python', [true, false, null])).to.contain('.run([True, False, None])')
    expect(write('python', { name: 'x'.repeat(60), size: 1 })).to.contain(
      `.run({\n    "name": "${'x'.repeat(60)}",\n    "size": 1,\n})`,
    )
  })
})
