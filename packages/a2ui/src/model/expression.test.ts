import { expect, test } from 'vitest'
import { expressionCalls, expressionProblem, parseTemplate } from './expression.ts'

test.each([
  ['plain', ['plain']],
  ['', ['']],
  ['Hello ${/user/name}!', ['Hello ', { path: '/user/name' }, '!']],
  ['${name}', [{ path: 'name' }]],
  ['a \\${b} ${c}', ['a ${b} ', { path: 'c' }]],
  ['${ 12.5 } ${true} ${null} ${}', [12.5, ' ', true, ' ', ' ']],
  ["${'it\\'s'}", ["it's"]],
  [
    "${formatDate(value:${/at}, format:'d MMM')}",
    [{ call: 'formatDate', args: { value: { path: '/at' }, format: 'd MMM' } }],
  ],
  ['${not(value: not(value: true))}', [{ call: 'not', args: { value: { call: 'not', args: { value: true } } } }]],
])('%j is read', (text, pieces) => {
  expect(parseTemplate(text)).toEqual(pieces)
  expect(expressionProblem(text)).toBeUndefined()
})

test.each([
  ['${/name', "a '}' is missing at its end"],
  ['${f(a:1}', 'the arguments'],
  ['${f(1)}', "the arguments of 'f' must have names"],
  ['${f(a:1', "a ')' is missing"],
  ["${'open}", 'is missing at its end'],
  ['${1.2.3}', 'neither a number nor a path'],
  ['${/größe}', "stands where '}' should"],
  ['${?}', 'stands where a path should'],
  ['${'.repeat(50), 'nested too deep'],
  [`\${${'f(a:'.repeat(50)}`, 'nested too deep'],
])('%j is not', (text, problem) => {
  expect(expressionProblem(text)).toContain(problem)
})

test('the functions in a text are known, with how deep they stand', () => {
  expect(expressionCalls('a ${not(value: email(value: ${/x}))} ${required(value: 1)}')).toEqual([
    { name: 'not', depth: 1 },
    { name: 'email', depth: 2 },
    { name: 'required', depth: 1 },
  ])
})

test('a name from the prototype is no argument', () => {
  const [call] = parseTemplate('${f(__proto__: 1)}')
  expect(call).toEqual({ call: 'f', args: {} })
})
