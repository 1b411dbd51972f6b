import { expect } from 'chai'
import { parseChatTemplate } from '../../../core/model/tokenizer/chat-template.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

const CHATML = `{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

describe('chat template', () => {
  const render = (source: string) =>
    parseChatTemplate(source, { bos_token: '<s>' }).render([{ role: 'user', content: 'hi' }])

  it('writes a conversation as the base was trained on', () => {
    const template = parseChatTemplate(CHATML, {})
    const messages = [
      { role: 'user', content: 'a {{ b }}' },
      { role: 'assistant', content: 'c' },
    ]
    expect(template.render(messages)).to.equal(
      '<|im_start|>user\na {{ b }}<|im_end|>\n<|im_start|>assistant\nc<|im_end|>\n',
    )
    expect(template.render(messages.slice(0, 1), { addGenerationPrompt: true })).to.match(/<\|im_start\|>assistant\n$/)
    expect(template.source).to.equal(CHATML)
  })

  it('knows special tokens, and no clock', () => {
    expect(render('{{ bos_token }}{{ messages[0].content }}')).to.equal('<s>hi')
    expect(render('{% if strftime_now is defined %}today{% else %}some day{% endif %}')).to.equal('some day')
  })

  it('counts as Python does', () => {
    expect(
      render('{{ range(3) | join(" ") }}|{{ range(1, 4) | join(" ") }}|{{ range(5, 0, -2) | join(" ") }}'),
    ).to.equal('0 1 2|1 2 3|5 3 1')
  })

  it('refuses what fails, never ends or writes too much', async () => {
    const doubling =
      '{% set n = namespace(t="aaaaaaaa") %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}{{ n.t }}'
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{% for %}', /chat_template/],
      [' '.repeat(300_000), /more than 262144 characters/],
      ["{{ raise_exception('roles must alternate') }}", /roles must alternate/],
      ['{% for i in range(1000000000) %}{% endfor %}', /range of more than 100000 entries/],
      ['{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}', /timed out/],
      ["{{ 'a' | indent(5000000, true) }}", /writes more than 4194304 characters/],
      [doubling, /chat_template/],
    ]
    for (const [source, message] of cases) {
      expect((await expectCode('invalid_model', () => render(source))).message).to.match(message)
    }
  })
})
