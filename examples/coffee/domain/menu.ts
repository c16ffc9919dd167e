/** What can be chosen about an item, such as its size. */
export interface Choice {
  readonly id: string
  readonly label: string
  /** What it costs more than the price. */
  readonly extra: number
}

export type OptionName = 'size' | 'milk'

export const categories = ['coffee', 'tea', 'cold', 'bakery'] as const
export type Category = (typeof categories)[number]

export const categoryLabels: Readonly<Record<Category, string>> = {
  coffee: 'Coffee',
  tea: 'Tea and chocolate',
  cold: 'Cold drinks',
  bakery: 'Bakery',
}

export interface MenuItem {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly category: Category
  readonly price: number
  readonly vegan: boolean
  readonly options: Partial<Readonly<Record<OptionName, readonly Choice[]>>>
  /** What else people call it. */
  readonly also: readonly string[]
}

export const sizes: readonly Choice[] = [
  { id: 'small', label: 'Small', extra: 0 },
  { id: 'medium', label: 'Medium', extra: 0.4 },
  { id: 'large', label: 'Large', extra: 0.8 },
]

export const milks: readonly Choice[] = [
  { id: 'whole', label: 'Whole milk', extra: 0 },
  { id: 'skimmed', label: 'Skimmed milk', extra: 0 },
  { id: 'oat', label: 'Oat milk', extra: 0.5 },
  { id: 'soy', label: 'Soy milk', extra: 0.5 },
]

const sized = { size: sizes }
const milky = { size: sizes, milk: milks }

function item(
  id: string,
  name: string,
  category: Category,
  price: number,
  more: Omit<MenuItem, 'id' | 'name' | 'category' | 'price'>,
): MenuItem {
  return { id, name, category, price, ...more }
}

/** All that the shops sell. */
export const menu: readonly MenuItem[] = [
  item('item_001', 'Cappuccino', 'coffee', 3.7, {
    description: 'Espresso with steamed milk and a thick cap of foam.',
    vegan: false,
    options: milky,
    also: ['capuccino', 'cappucino', 'cap'],
  }),
  item('item_002', 'Flat white', 'coffee', 3.9, {
    description: 'A double shot under a thin layer of velvety milk.',
    vegan: false,
    options: milky,
    also: ['flatwhite'],
  }),
  item('item_003', 'Latte', 'coffee', 3.8, {
    description: 'Espresso with plenty of steamed milk.',
    vegan: false,
    options: milky,
    also: ['caffe latte', 'cafe latte'],
  }),
  item('item_004', 'Espresso', 'coffee', 2.6, {
    description: 'A single short shot of our house blend.',
    vegan: true,
    options: {},
    also: ['shot', 'expresso'],
  }),
  item('item_005', 'Americano', 'coffee', 3.1, {
    description: 'Espresso let down with hot water.',
    vegan: true,
    options: sized,
    also: ['black coffee', 'long black'],
  }),
  item('item_006', 'Filter coffee', 'coffee', 2.9, {
    description: 'Today’s single origin, brewed by the cup.',
    vegan: true,
    options: sized,
    also: ['coffee', 'drip coffee', 'brewed coffee'],
  }),
  item('item_007', 'Mocha', 'coffee', 4.2, {
    description: 'Espresso, dark chocolate and steamed milk.',
    vegan: false,
    options: milky,
    also: ['mocca', 'mochaccino'],
  }),
  item('item_010', 'Breakfast tea', 'tea', 2.8, {
    description: 'A pot of strong Assam.',
    vegan: true,
    options: sized,
    also: ['tea', 'black tea', 'english breakfast'],
  }),
  item('item_011', 'Earl grey', 'tea', 2.8, {
    description: 'Black tea with oil of bergamot.',
    vegan: true,
    options: sized,
    also: ['earl gray'],
  }),
  item('item_012', 'Hot chocolate', 'tea', 3.9, {
    description: 'Melted dark chocolate and steamed milk.',
    vegan: false,
    options: milky,
    also: ['chocolate', 'cocoa'],
  }),
  item('item_020', 'Iced latte', 'cold', 4.1, {
    description: 'Espresso and cold milk over ice.',
    vegan: false,
    options: milky,
    also: ['ice latte', 'iced coffee'],
  }),
  item('item_021', 'Cold brew', 'cold', 3.9, {
    description: 'Steeped for eighteen hours, served over ice.',
    vegan: true,
    options: sized,
    also: ['coldbrew'],
  }),
  item('item_022', 'Lemonade', 'cold', 3.2, {
    description: 'Pressed this morning, with mint.',
    vegan: true,
    options: sized,
    also: [],
  }),
  item('item_030', 'Blueberry muffin', 'bakery', 3.1, {
    description: 'Baked here, with a crumble top.',
    vegan: false,
    options: {},
    also: ['muffin'],
  }),
  item('item_031', 'Croissant', 'bakery', 2.9, {
    description: 'All butter, from the oven at seven.',
    vegan: false,
    options: {},
    also: ['butter croissant', 'crossaint'],
  }),
  item('item_032', 'Oat cookie', 'bakery', 2.4, {
    description: 'With dark chocolate; no butter, no egg.',
    vegan: true,
    options: {},
    also: ['cookie', 'biscuit'],
  }),
  item('item_033', 'Banana bread', 'bakery', 3.3, {
    description: 'Toasted, with walnuts.',
    vegan: true,
    options: {},
    also: ['banana cake'],
  }),
]

export function menuItem(id: string): MenuItem | undefined {
  return menu.find((one) => one.id === id)
}
