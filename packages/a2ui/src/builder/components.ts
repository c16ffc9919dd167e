import type {
  alignments,
  axes,
  buttonVariants,
  choiceDisplayStyles,
  choiceVariants,
  directions,
  IconName,
  imageFits,
  imageVariants,
  justifications,
  textFieldVariants,
  textVariants,
} from '../catalog.ts'
import { isNode, isTemplate, makeNode, type Template, type UiNode } from './node.ts'
import { nodeSurface } from './surface.ts'
import type {
  Action,
  Binding,
  BooleanValue,
  CheckRule,
  EventAction,
  FunctionCall,
  NumberValue,
  TextsValue,
  TextValue,
} from './values.ts'

type WordOf<Words extends readonly string[]> = Words[number]

interface Common {
  /** A name to be known by in later updates; one is made when it is left out. */
  readonly id?: string
  /** What assistive technologies are told. */
  readonly accessibility?: { readonly label?: TextValue; readonly description?: TextValue }
  /** How much of the room it takes in a row or column, relative to the others. */
  readonly weight?: number
}

interface Checked extends Common {
  readonly checks?: readonly CheckRule[]
}

/** A child; what is not there is left out, so that `condition && node` can be written. */
type Child = UiNode | false | null | undefined

type Children = readonly [Template] | readonly Child[]

interface Container<Options> {
  (...children: Children): UiNode
  (options: Options, ...children: Children): UiNode
}

interface Layout extends Common {
  readonly justify?: WordOf<typeof justifications>
  readonly align?: WordOf<typeof alignments>
}

interface ListLayout extends Common {
  readonly direction?: WordOf<typeof directions>
  readonly align?: WordOf<typeof alignments>
}

type ButtonContent =
  | { readonly label: TextValue; readonly child?: never }
  | { readonly child: UiNode; readonly label?: never }

type ButtonOptions = Checked &
  ButtonContent & { readonly action: Action; readonly variant?: WordOf<typeof buttonVariants> }

interface Option {
  readonly label: TextValue
  readonly value: string
}

function node(component: string, properties: object): UiNode {
  return makeNode(component, { ...properties }, nodeSurface)
}

function container<Options extends Common>(component: string): Container<Options> {
  return (...args: readonly (Options | Child | Template)[]) => {
    const [first] = args
    const hasOptions = typeof first === 'object' && first !== null && !isNode(first) && !isTemplate(first)
    const given = hasOptions ? args.slice(1) : args
    const template = given.find(isTemplate)
    const options = hasOptions ? first : {}
    return node(component, { ...options, children: template ?? given.filter(isNode) })
  }
}

function text(content: TextValue, options: Common & { readonly variant?: WordOf<typeof textVariants> } = {}): UiNode {
  return node('Text', { text: content, ...options })
}

export const components = {
  /** Text, with simple Markdown. */
  text,
  image: (
    url: TextValue,
    options: Common & {
      readonly description?: TextValue
      readonly fit?: WordOf<typeof imageFits>
      readonly variant?: WordOf<typeof imageVariants>
    } = {},
  ) => node('Image', { url, ...options }),
  icon: (name: IconName | { readonly svgPath: string } | Binding<string>, options: Common = {}) =>
    node('Icon', { name, ...options }),
  video: (url: TextValue, options: Common = {}) => node('Video', { url, ...options }),
  audioPlayer: (url: TextValue, options: Common & { readonly description?: TextValue } = {}) =>
    node('AudioPlayer', { url, ...options }),
  /** Children side by side. */
  row: container<Layout>('Row'),
  /** Children one below the other. */
  column: container<Layout>('Column'),
  list: container<ListLayout>('List'),
  card: (child: UiNode, options: Common = {}) => node('Card', { child, ...options }),
  tabs: (
    tabs: readonly [
      { readonly title: TextValue; readonly child: UiNode },
      ...{ readonly title: TextValue; readonly child: UiNode }[],
    ],
    options: Common = {},
  ) => node('Tabs', { tabs, ...options }),
  /** Content that opens when its trigger is used. */
  modal: (options: Common & { readonly trigger: UiNode; readonly content: UiNode }) => node('Modal', options),
  divider: (options: Common & { readonly axis?: WordOf<typeof axes> } = {}) => node('Divider', options),
  button: ({ label, child, action, ...options }: ButtonOptions) => {
    const content = label === undefined ? { child } : { child: text(label) }
    return node('Button', { ...content, action: 'call' in action ? { functionCall: action } : action, ...options })
  },
  textField: (
    options: Checked & {
      readonly label: TextValue
      readonly value?: TextValue
      readonly variant?: WordOf<typeof textFieldVariants>
      readonly validationRegexp?: string
    },
  ) => node('TextField', options),
  checkBox: (options: Checked & { readonly label: TextValue; readonly value: BooleanValue }) =>
    node('CheckBox', options),
  choicePicker: (
    options: Checked & {
      readonly options: readonly Option[]
      readonly value: TextsValue
      readonly label?: TextValue
      readonly variant?: WordOf<typeof choiceVariants>
      readonly displayStyle?: WordOf<typeof choiceDisplayStyles>
      readonly filterable?: boolean
    },
  ) => node('ChoicePicker', options),
  slider: (
    options: Checked & {
      readonly value: NumberValue
      readonly max: number
      readonly min?: number
      readonly label?: TextValue
    },
  ) => node('Slider', options),
  dateTimeInput: (
    options: Checked & {
      readonly value: TextValue
      readonly label?: TextValue
      readonly enableDate?: boolean
      readonly enableTime?: boolean
      readonly min?: TextValue
      readonly max?: TextValue
    },
  ) => node('DateTimeInput', options),
  /** An event for the server, with what it should know. */
  action: (name: string, context?: EventAction['event']['context']): EventAction => ({
    event: { name, ...(context !== undefined && { context }) },
  }),
  /** A condition on an input, and what is said when it is not met. */
  check: (condition: boolean | Binding<boolean> | FunctionCall<'boolean'>, message: string): CheckRule => ({
    condition,
    message,
  }),
}
