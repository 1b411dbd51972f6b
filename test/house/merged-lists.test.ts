import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ERROR_CODES, ERRORS_BY_AREA } from '../../core/errors.ts'

/** Layers whose files use what the areas define. */
const LAYERS = ['core', 'db', 'temporal', 'workflows', 'activities', 'api', 'workers']

describe('lists that the areas define and the root merges', () => {
  it('define each error code in one area, and some file uses it', () => {
    expectOnce(ERRORS_BY_AREA, Object.keys(ERROR_CODES))
    const text = textOfSources(/^core\/(\w+\/)?errors\.ts$/)
    expect(Object.keys(ERROR_CODES).filter((code) => !new RegExp(`[.'\`]${code}\\b`).test(text))).to.deep.equal([])
  })
})

/** Every name stands in one area, and the merged list has them all. */
function expectOnce(byArea: Readonly<Record<string, object>>, merged: readonly string[]): void {
  const names = Object.values(byArea).flatMap((list) => Object.keys(list))
  expect(names.filter((name, place) => names.indexOf(name) !== place)).to.deep.equal([])
  expect(names.toSorted()).to.deep.equal(merged.toSorted())
}

/** The sources of all layers, less the files that define the lists. */
function textOfSources(definitions: RegExp): string {
  return LAYERS.flatMap((layer) =>
    readdirSync(layer, { recursive: true, encoding: 'utf8' }).map((path) => `${layer}/${path}`),
  )
    .filter((file) => file.endsWith('.ts') && !definitions.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
}
