import { expect } from 'chai'
import { drawPicture, type Pictured } from '../../../../api/compile/share/picture/draw-picture.ts'
import { widthOf, wrapText } from '../../../../api/compile/share/picture/wrap-text.ts'

const ARTIFACT: Pictured = {
  kind: 'artifact',
  name: 'Write the family name first',
  recipe_kind: 'program',
  k_score: 0.912,
  k_interval: { low: 0.8, high: 0.95 },
}

describe('the picture of a share link', () => {
  it('shows name, kind, and K with its interval', () => {
    expect(drawPicture(ARTIFACT))
      .to.contain('>Write the family name first<')
      .and.to.contain('>Shared program<')
      .and.to.contain('>K 0.912<')
      .and.to.contain('>95% interval 0.800 to 0.950<')
  })

  it('escapes names, and leaves out what XML cannot hold', () => {
    const svg = drawPicture({ ...ARTIFACT, name: '</text><script>"&\u0000' })
    expect(svg).to.contain('&lt;/text&gt;&lt;script&gt;&quot;&amp;')
    expect(svg).not.to.contain('\u0000').and.not.to.contain('<script')
  })

  it('names the kind in place of a name that its font cannot write', () => {
    expect(drawPicture({ ...ARTIFACT, name: '姓を先に書く' })).to.contain('>A shared program<')
    expect(drawPicture({ ...ARTIFACT, name: '😀' })).to.contain('>A shared program<')
    expect(drawPicture({ ...ARTIFACT, name: 'Сначала фамилия 😀' })).to.contain('>Сначала фамилия<')
  })

  it('breaks long names into lines that fit, also those of one long word', () => {
    for (const text of ['W'.repeat(200), 'a few words that are repeated '.repeat(20), 'one '.repeat(3)]) {
      const lines = wrapText(text, 18, 3)
      expect(lines.length).to.be.within(1, 3)
      for (const line of lines) expect(widthOf(line), line).to.be.at.most(18)
      expect(lines.at(-1)?.endsWith('…')).to.equal(text.length > 100)
    }
    expect(wrapText('', 18, 3)).to.deep.equal([])
  })
})
