import { expect } from 'chai'
import { useApi } from '../support/api.ts'
import { canOpenPages, usePages, type OpenPage } from '../support/pages/pages.ts'

describe('numbers and times of the console', function () {
  this.timeout(120_000)
  const api = useApi()
  const pages = usePages()
  let opened: OpenPage
  /** Returns the results of the module's functions under a language and a zone. */
  const formats = async (choice: object, calls: string): Promise<unknown> =>
    await opened.page.evaluate(`import('/console/parts/format.js').then((format) => {
      format.chooseFormats(${JSON.stringify(choice)})
      return ${calls}
    })`)
  const startOfDay = async (timeZone: string, day: string) =>
    await formats({ timeZone }, `format.startOfDay(${JSON.stringify(day)})`)
  before(async function () {
    if (!canOpenPages) this.skip()
    opened = await pages.open(api.url)
  })

  it('know when a day begins, also where clocks change that night', async () => {
    expect(await startOfDay('Europe/Berlin', '2026-03-29')).to.equal('2026-03-28T23:00:00.000Z')
    expect(await startOfDay('Europe/Berlin', '2026-10-25')).to.equal('2026-10-24T22:00:00.000Z')
    expect(await startOfDay('Europe/Berlin', '2026-10-26')).to.equal('2026-10-25T23:00:00.000Z')
    expect(await startOfDay('Asia/Kolkata', '2026-01-01')).to.equal('2025-12-31T18:30:00.000Z')
    // Midnight itself is left out there.
    expect(await startOfDay('Africa/Cairo', '2026-04-24')).to.equal('2026-04-23T22:00:00.000Z')
  })

  it('write sizes, shares and money as the reader does', async () => {
    const sizes = '[0, 999, 1000, 7923, 999499, 999950, 1234567890].map(format.formatBytes)'
    expect(await formats({ locale: 'en' }, sizes)).to.deep.equal([
      '0 B',
      '999 B',
      '1 kB',
      '7.92 kB',
      '999 kB',
      '1 MB',
      '1.23 GB',
    ])
    expect(await formats({ locale: 'de' }, 'format.formatBytes(7923)')).to.equal('7,92 kB')
    const shares = '[0, 0.00001, 0.0123, 0.5, 1].map(format.formatPercent)'
    expect(await formats({ locale: 'en' }, shares)).to.deep.equal(['0%', 'less than 0.1%', '1.2%', '50%', '100%'])
    expect(await formats({ locale: 'en-US' }, `format.formatMoney(-4900, 'usd')`)).to.equal('-$49.00')
    expect(await formats({ locale: 'de' }, 'format.formatScore(0.5)')).to.equal('0,500')
  })

  it('read the tolerances of a compile as they write them', async () => {
    const read = async (text: string) =>
      await opened.page.evaluate(`import('/console/pages/compile/tolerances.js').then((of) => {
        const { tolerances } = of.tolerancesIn(${JSON.stringify(text)})
        return [tolerances, Array.isArray(tolerances) ? of.tolerancesText(tolerances) : null]
      })`)
    const both = [
      { path: ['items', '*', 'price'], absolute: 0.5, relative: 0.07 },
      { path: [], absolute: 1e-7 },
    ]
    expect(await read('items.*.price = 0.5 or 7%, 1e-7')).to.deep.equal([both, 'items.*.price = 0.5 or 7 %, 1e-7'])
    expect(await read('items.*.price = 0.5 or 7 %, 1e-7')).to.deep.equal([both, 'items.*.price = 0.5 or 7 %, 1e-7'])
    expect(await read(' ')).to.deep.equal([[], ''])
    expect(await read('about 5')).to.deep.equal(['about 5', null])
  })

  it('fall back to the browser’s own for a zone that it does not know', async () => {
    expect(await formats({ timeZone: 'Mars/Olympus' }, 'format.shownZone()')).to.equal('Europe/Berlin')
  })
})
