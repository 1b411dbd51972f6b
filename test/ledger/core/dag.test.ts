import { expect } from 'chai'
import { compileDag } from '../../../core/compile/stages/compile-dag.ts'
import { parseDag, traceDag } from '../../../core/ledger/dag/dag.ts'
import { DomainError } from '../../../core/kernel/errors.ts'

const graph = (nodes: readonly unknown[], edges: readonly unknown[]) => ({ spec: 'svc-evidence-dag-1', nodes, edges })
const node = (id: string, kind = 'eval') => ({ id, kind })
const edge = (from: string, to: string, relationship = 'derived_from') => ({ from, to, relationship })

describe('evidence graph', () => {
  it('refuses every kind of broken graph, naming the problem', () => {
    const chain = Array.from({ length: 2000 }, (_, i) => node(`n${i}`))
    const ring = chain.map(({ id }, i) => edge(id, `n${(i + 1) % chain.length}`))
    const broken: [string, unknown][] = [
      ['malformed', graph([node('a', 'guess')], [])],
      ['malformed', graph([node('a b')], [])],
      ['malformed', graph([node('a'), node('b')], [edge('a', 'b', 'likes')])],
      ['malformed', { ...graph([], []), spec: 'svc-evidence-dag-2' }],
      ['duplicate_node', graph([node('a'), node('a')], [])],
      ['unknown_endpoint', graph([node('a')], [edge('a', 'b')])],
      ['self_loop', graph([node('a')], [edge('a', 'a')])],
      ['duplicate_edge', graph([node('a'), node('b')], [edge('a', 'b'), edge('a', 'b')])],
      ['cycle', graph([node('a'), node('b'), node('c')], [edge('c', 'a'), edge('a', 'b'), edge('b', 'a')])],
      ['cycle', graph(chain, ring)],
    ]
    for (const [problem, value] of broken) expect(problemOf(value)).to.equal(problem)
    expect(parseDag(graph(chain, ring.slice(0, -1))).nodes).to.have.length(2000)
  })

  it('traces what a node rests on and leaves out the rest', () => {
    const dag = parseDag(
      graph(
        ['s', 'r', 't', 'x', 'd'].map((id) => node(id)),
        [edge('s', 'r'), edge('r', 't'), edge('r', 'd'), edge('t', 'd'), edge('x', 'd')],
      ),
    )
    const trace = traceDag(dag, 'r')
    expect(trace.nodes.map(({ id }) => id)).to.have.members(['r', 't', 'd'])
    expect(trace.edges).to.have.length(3)
    expect(() => traceDag(dag, 'absent')).to.throw(DomainError)
  })

  it('ties the signature of a compile to the rows it was made from', () => {
    const hash = (digit: string) => `sha256:${digit.repeat(64)}` as const
    const dag = compileDag({
      jobId: 'cmp_1',
      recipe: { id: 'rcp_1', kind: 'program', hash: hash('1') },
      captures: null,
      seeds: { hash: hash('2'), count: 50, source: 'tenant_given' },
      train: { hash: hash('3'), count: 40 },
      holdout: { hash: hash('4'), count: 10, split: 'holdout' },
      teachers: [{ provider: 'synthesizer', samples: 5 }],
      verifier: { hash: hash('5') },
      evals: { hash: hash('6'), evalSetHash: hash('7') },
      gate: { accepted: null, floor: 0.85, kScore: 0.9 },
      baseModel: 'none',
      training: null,
      runtimeVersion: 'svc-runtime-1',
      signer: { kid: '0'.repeat(32), issuedAt: '2026-01-01T00:00:00.000Z' },
    })
    const signature = dag.nodes.find(({ kind }) => kind === 'signature')
    const reached = traceDag(dag, signature?.id ?? '').nodes
    expect(reached).to.have.length(dag.nodes.length)
    // Training never rests on the holdout.
    const student = traceDag(dag, 'rcp_1').nodes.map(({ hash: digest }) => digest)
    expect(student).to.include(hash('3')).and.not.to.include(hash('4'))
  })
})

function problemOf(value: unknown): unknown {
  try {
    parseDag(value)
  } catch (error) {
    if (error instanceof DomainError) return error.details?.['problem']
  }
  return undefined
}
