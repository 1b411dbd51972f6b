import { expect } from 'chai'
import { describeHelp } from '../../../cli/terminal/help-text.ts'
import type { HelpView } from '../../../core/compile/wire/jobs/explain/help.ts'
import type { JobView } from '../../../core/compile/wire/jobs/job.ts'

describe('advice for a gated job', () => {
  const adviceOf = (...help: HelpView[]) =>
    // The other fields of a job play no part.
    describeHelp({ id: 'cmp_1', status: 'gated', what_would_help: help } as unknown as JobView).join('\n')

  it('speaks of one row or of several', () => {
    const odd = (...ids: string[]): HelpView => ({
      kind: 'odd_rows',
      rows: ids.map((id) => ({ id, reasons: ['no_kind_right'] })),
    })
    expect(adviceOf(odd('row_4'))).to.contain('1. check row_4: wrong, and no kind of recipe gets it right\n')
    expect(adviceOf(odd('row_4', 'row_9'))).to.contain(
      'check row_4, row_9: wrong, and no kind of recipe gets them right\n',
    )
    const rows = (inputs: number, removed: number): HelpView => ({
      kind: 'contradictory_rows',
      inputs,
      rows_removed: removed,
    })
    expect(adviceOf(rows(1, 1))).to.contain('correct 1 input that has several outputs: 1 row was left out\n')
    expect(adviceOf(rows(2, 5))).to.contain('correct 2 inputs that have several outputs: 5 rows were left out\n')
  })
})
