import { expect } from 'chai'
import { z } from 'zod'
import { checkAnswer } from '../../cli/client/check-answer.ts'
import { CliError } from '../../cli/cli-error.ts'

const Answer = z.object({ jobs: z.array(z.object({ id: z.string(), status: z.enum(['queued', 'ready']) })) })

describe('an answer of the server', () => {
  it('keeps the fields that its schema does not name', () => {
    const answer = { jobs: [{ id: 'cmp_1', status: 'ready', later: 1 }], total: 7 }
    expect(checkAnswer(answer, Answer, 'http://svc.test/v1/compile')).to.deep.equal(answer)
  })

  it('names the address and each field that does not match', () => {
    const answer = {
      jobs: [
        { id: 'cmp_1', status: 'ready' },
        { id: 2, status: 'other' },
      ],
    }
    try {
      checkAnswer(answer, Answer, 'http://svc.test/v1/compile')
      expect.fail('it matches')
    } catch (error) {
      expect(error).to.be.instanceOf(CliError)
      expect(error).to.have.property('code', 'unexpected_answer')
      expect(error)
        .to.have.property('message')
        .that.includes('http://svc.test/v1/compile sent an unexpected answer, jobs[1].id: ')
      expect(error).to.have.nested.property('details.fields[1].field', 'jobs[1].status')
    }
  })
})
