import { expect } from 'chai'
import { jobsPageOf } from '../../config/jobs-page.ts'

describe("the address of Temporal's page", () => {
  const query = 'workflows?query=SvcKind%3D%22compile%22'

  it('shows the compile jobs of the namespace of temporal.yaml, or of the one that is configured', () => {
    expect(jobsPageOf('http://ui')).to.equal(`http://ui/namespaces/svc/${query}`)
    expect(jobsPageOf('http://ui', 'svc.prod')).to.equal(`http://ui/namespaces/svc.prod/${query}`)
    expect(jobsPageOf('http://ui', 'a/b')).to.equal(`http://ui/namespaces/a%2Fb/${query}`)
  })

  it('is undefined where the stack started no Temporal', () => {
    expect(jobsPageOf(undefined)).to.equal(undefined)
  })
})
