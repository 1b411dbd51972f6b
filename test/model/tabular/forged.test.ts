import { expect } from 'chai'
import { FLAG, decodeArrays, encodeArrays, type TabularArrays } from '../../../core/model/tabular/recipe/arrays.ts'
import { openTabular } from '../../../core/model/tabular/recipe/open-tabular.ts'
import { fit, loanRows } from './given.ts'

/** Two trees: one of two nodes, one of one. */
const HONEST: TabularArrays = {
  features: 2,
  scores: 1,
  centers: Float64Array.of(1, 2),
  weights: Float64Array.of(0.5, -0.5),
  bias: Float64Array.of(0.25),
  thresholds: Float64Array.of(1, 2, 3),
  leaves: Float64Array.of(1, 2, 3, 4, 5),
  treeScores: Uint32Array.of(0, 0),
  roots: Uint32Array.of(0, 2),
  nodeFeatures: Uint32Array.of(0, 1 + FLAG, 1),
  left: Uint32Array.of(1, FLAG + 1, FLAG + 3),
  right: Uint32Array.of(FLAG, FLAG + 2, FLAG + 4),
}

const FORGED: Readonly<Record<string, Partial<TabularArrays>>> = {
  'a cycle': { left: Uint32Array.of(1, 0, FLAG + 3) },
  'its own child': { left: Uint32Array.of(0, FLAG + 1, FLAG + 3) },
  'has a child out of range': { left: Uint32Array.of(9, FLAG + 1, FLAG + 3) },
  'a child out of range': { left: Uint32Array.of(2, FLAG + 1, FLAG + 3) },
  'a leaf out of range': { right: Uint32Array.of(FLAG + 4, FLAG + 2, FLAG + 4) },
  'leaf 2 of tree 1 has two parents': { right: Uint32Array.of(FLAG + 1, FLAG + 2, FLAG + 4) },
  'node 2 of tree 1 has no parent': {
    left: Uint32Array.of(FLAG, FLAG + 2, FLAG + 3),
    right: Uint32Array.of(FLAG + 1, FLAG + 2, FLAG + 4),
  },
  'node 2 of tree 1 has two parents': { right: Uint32Array.of(1, FLAG + 2, FLAG + 4) },
  'leaf 1 is not finite': { leaves: Float64Array.of(NaN, 2, 3, 4, 5) },
  'threshold 3 is not finite': { thresholds: Float64Array.of(1, 2, Infinity) },
  'bias 1 is not finite': { bias: Float64Array.of(-Infinity) },
  'reads a feature that does not exist': { nodeFeatures: Uint32Array.of(2, 1, 1) },
  'adds to a score that does not exist': { treeScores: Uint32Array.of(0, 1) },
  'tree 1 has no nodes': { roots: Uint32Array.of(0, 0) },
  'nodes outside of trees': { roots: Uint32Array.of(1, 2) },
  'have 4 leaves, not 5': { treeScores: Uint32Array.of(0), roots: Uint32Array.of(0) },
  'weights do not fit features and scores': { weights: Float64Array.of(1) },
  '0 scores': { scores: 0 },
  '5000 features': { features: 5000 },
}

describe('forged tabular models', () => {
  it('are no honest ones: those are read as they were written', () => {
    expect(decodeArrays(encodeArrays(HONEST))).to.deep.equal(HONEST)
  })

  for (const [fault, change] of Object.entries(FORGED)) {
    it(`are refused: ${fault}`, () => {
      const message = fault === 'its own child' ? 'a cycle' : fault
      expect(() => decodeArrays(encodeArrays({ ...HONEST, ...change })))
        .to.throw(message)
        .with.property('code', 'recipe_failed')
    })
  }

  it('are refused: a million nodes', () => {
    const nodes = 1_000_000
    const chain = Uint32Array.from({ length: nodes }, (_, i) => (i + 1 < nodes ? i + 1 : FLAG))
    const forged = encodeArrays({
      ...HONEST,
      thresholds: new Float64Array(nodes),
      leaves: new Float64Array(nodes + 1),
      treeScores: Uint32Array.of(0),
      roots: Uint32Array.of(0),
      nodeFeatures: new Uint32Array(nodes),
      left: chain,
      right: Uint32Array.from({ length: nodes }, (_, i) => FLAG + i + 1),
    })
    expect(() => decodeArrays(forged)).to.throw('1000000 nodes, 262144 are allowed')
  })

  it('are refused: a tree that is too deep', () => {
    const nodes = 80
    const forged = encodeArrays({
      ...HONEST,
      thresholds: new Float64Array(nodes),
      leaves: new Float64Array(nodes + 1),
      treeScores: Uint32Array.of(0),
      roots: Uint32Array.of(0),
      nodeFeatures: new Uint32Array(nodes),
      left: Uint32Array.from({ length: nodes }, (_, i) => (i + 1 < nodes ? i + 1 : FLAG)),
      right: Uint32Array.from({ length: nodes }, (_, i) => FLAG + i + 1),
    })
    expect(() => decodeArrays(forged)).to.throw('deeper than 64')
  })

  it('are refused: bytes that are missing, too many, or of another format', () => {
    const bytes = encodeArrays(HONEST)
    for (const damaged of [
      bytes.subarray(1),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.alloc(8)]),
      bytes.subarray(0, 9),
    ])
      expect(() => decodeArrays(damaged))
        .to.throw()
        .with.property('code', 'recipe_failed')
  })

  it('are refused: recipes with columns that stand twice, are unknown, or do not fit the weights', () => {
    const { recipe, weights } = fit(loanRows(60), 'label')
    const [first] = recipe.columns
    const target = recipe.target.kind === 'label' ? recipe.target : undefined
    const forged = {
      'a column stands twice': { ...recipe, columns: [...recipe.columns, first] },
      'at columns.0': { ...recipe, columns: [{ ...first, kind: 'unknown' }] },
      Unrecognized: { ...recipe, columns: [{ ...first, factor: 2 }] },
      'do not belong together': { ...recipe, columns: recipe.columns.slice(1) },
      'a label stands twice': { ...recipe, target: { ...target, labels: ['ask', 'ask', 'grant'] } },
      'is svc-tabular-2': { ...recipe, format: 'svc-tabular-2' },
      'not well formed': { ...recipe, format: 'svc-tabular-9' },
    }
    for (const [message, one] of Object.entries(forged))
      expect(() => openTabular(JSON.parse(JSON.stringify(one)), weights), message)
        .to.throw(message)
        .with.property('code', 'recipe_failed')
  })
})
