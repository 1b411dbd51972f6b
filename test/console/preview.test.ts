import { expect } from 'chai'
import { lookAround } from '../support/pages/look-around.ts'
import { nameExamples } from '../support/workflows/service.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'

describe('rows of a spreadsheet in the console', function () {
  this.timeout(300_000)
  const site = useConsole()

  itInBrowser('are shown as they would be read, corrected, and compiled so', async () => {
    const tenant = await site.givenTenant()
    const opened = await site.signIn(tenant, '/#/compile')
    const { page } = opened
    await page.getByLabel('Task').fill('Write the family name first')
    await page.getByLabel('K-score floor').fill('0.5')
    // Cells of a spreadsheet, as its clipboard holds them: the number of the row says nothing.
    const rows = nameExamples().map(({ input, output }, i) => `${input}\t${output}\t${i % 7}`)
    await page.getByLabel('Examples').fill(['Person\tIndex\tShelf', ...rows].join('\n'))
    const preview = page.getByRole('region', { name: 'How the rows are read' })
    await preview.getByText('40 rows').waitFor()
    await preview.getByRole('cell', { name: 'Person', exact: true }).waitFor()
    expect(await preview.getByLabel('Delimiter').inputValue()).to.equal('\t')
    // The last column is taken for the answer; the person corrects that.
    await preview.getByLabel('Role of Index').selectOption('output')
    await preview.getByLabel('Role of Shelf').selectOption('ignored')
    await page.locator('.preview[aria-busy=false]').waitFor()
    expect(await preview.getByLabel('Role of Person').inputValue()).to.equal('input')
    await lookAround(page, 'preview')
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await shown(page, 'Job')
    await page.locator('.facts [data-status=ready]').waitFor({ timeout: 240_000 })
    await page.getByRole('link', { name: 'Open the artifact' }).click()
    await settled(page)
    await page.getByLabel('Input').fill('Tim Berners')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.output', { hasText: 'Berners, Tim' }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('say what is wrong with them before they are compiled', async () => {
    const opened = await site.signIn(await site.givenTenant(), '/#/compile')
    const { page } = opened
    await page.getByLabel('Or a file').setInputFiles({
      name: 'ragged.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a,b\n1,2\n3,4,5\n'),
    })
    const preview = page.getByRole('region', { name: 'How the rows are read' })
    await preview.locator('.notice').first().waitFor()
    expect(await preview.locator('.notice').first().textContent()).to.equal(
      'Line 3: has 3 cells, the first row has 2; correct the row, check the delimiter, or leave such rows out.',
    )
    await preview.getByLabel('Leave out the row with another number of cells').check()
    await preview.locator('.notice', { hasText: 'at least two examples' }).waitFor()
    expect(await preview.getByLabel(/^Leave out/).isChecked()).to.equal(true)
    await page.getByLabel('Or a file').setInputFiles({
      name: 'totals.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('item,amount\nrice,12\noats,30\nrye,7\nTotal,49\n'),
    })
    await preview.getByText('4 rows.').waitFor()
    await preview.getByLabel('Leave out line 5, which looks like the total of the rows above').check()
    await preview.getByText('3 rows. Left out: the total in line 5.').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })
})
