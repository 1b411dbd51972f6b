import { expect } from 'chai'
import iconv from 'iconv-lite'
import { chunksOf, fails, pairsOf } from '../intake/given-intake.ts'
import type { EncodingName } from '../../../../../core/compile/rows/table/mapping.ts'
import { EncodingCensus } from '../../../../../core/compile/rows/table/text/encoding-census.ts'

describe('a text file', () => {
  it('has its encoding found, or read as it is named', async () => {
    const text = 'name;Größe\nJosé Müller;groß\nFrançois Noël;klein\nÅsa Öberg;groß\n'
    const expected = [
      ['José Müller', 'groß'],
      ['François Noël', 'klein'],
      ['Åsa Öberg', 'groß'],
    ]
    const encoded = (encoding: string, addBOM = false) => iconv.encode(text, encoding, { addBOM })
    for (const bytes of [
      encoded('utf-8'),
      encoded('utf-8', true),
      encoded('utf-16le', true),
      encoded('utf-16be', true),
      encoded('utf-16le'),
      encoded('utf-16be'),
      encoded('windows-1252'),
      encoded('iso-8859-1'),
    ]) {
      expect(await pairsOf(bytes)).to.deep.equal(expected)
    }
    for (const [encoding, word] of [
      ['windows-1251', 'Привет'],
      ['shift_jis', 'こんにちは'],
      ['macintosh', 'Zoë'],
      ['iso-8859-15', '5 €'],
    ] as const satisfies readonly (readonly [EncodingName, string])[]) {
      const bytes = iconv.encode(`input,output\n${word},a\nb,c\n`, encoding)
      expect((await pairsOf(bytes, { encoding }))[0], encoding).to.deep.equal([word, 'a'])
    }
  })

  it('has its encoding found in a few rows of another script, and in a file of a classic Macintosh', async () => {
    const more: Readonly<Record<string, readonly string[]>> = {
      'windows-1251': ['Лев Толстой;Л. Толстой', 'Иван Тургенев;И. Тургенев'],
      shift_jis: ['佐藤 花子;花子', '鈴木 一郎;一郎', '高橋 次郎;次郎'],
    }
    for (const [encoding, first, end] of [
      ['windows-1251', ['Анна Каренина', 'А. Каренина'], '\r\n'],
      ['shift_jis', ['山田 太郎', '太郎'], '\n'],
      ['macintosh', ['José Müller', 'J. Müller'], '\r'],
      ['windows-1252', ['5 €', 'fünf'], '\n'],
      ['windows-1252', ['“Zoë”', 'Œuvre'], '\r\n'],
    ] as const) {
      const others = [...(more[encoding] ?? []), 'b;c']
      const bytes = iconv.encode(['input;output', first.join(';'), ...others, ''].join(end), encoding)
      expect((await pairsOf(bytes))[0], encoding).to.deep.equal(first)
    }
    const broken = Buffer.concat([Buffer.from('input,output\ra,1\r'), Buffer.from([0x81]), Buffer.from(',2\r')])
    const error = await fails(pairsOf(broken, { encoding: 'windows-1252' }))
    expect(error.message).to.match(/^line\[3\]: column 1: holds bytes that are no character of windows-1252/)
  })

  it('has no encoding of a Macintosh where a line ends as elsewhere', async () => {
    for (const text of [
      'input;output\r\r\nJosé Müller;J. M.\r\r\nb;c\r\r\n',
      'input;output\r\n"José\rMüller";J. M.\r\nb;c\r\n',
      'input;output\n"José\rMüller";J. M.\nb;c\n',
    ]) {
      const [[input] = []] = await pairsOf(iconv.encode(text, 'windows-1252'))
      expect(input, JSON.stringify(text)).to.match(/^José[ \r\n]Müller$/)
    }
  })

  it('finds the encoding when the first accent comes late', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `word ${i},w${i}\n`).join('')
    const rows = await pairsOf(iconv.encode(`input,output\n${lines}café,c\n`, 'windows-1252'))
    expect(rows.at(-1)).to.deep.equal(['café', 'c'])
  })

  it('is UTF-8 however long its lines are', async () => {
    for (const character of ['ä', '日', '𝄞']) {
      for (const before of ['', ' ', '  ', '   ']) {
        const census = new EncodingCensus()
        for await (const chunk of chunksOf(before + character.repeat(600_000), 64 * 1024)) census.add(chunk)
        expect(census.finish(), character).to.include({ invalidLines: 0, firstValid: 1 })
      }
    }
  })
})
