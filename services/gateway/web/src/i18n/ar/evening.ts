/** كلام السهرة: المقاعد، والتبديل، والاستراحة، ومن يشاهد، وما يُقال. Seats, swaps, breaks, lookers-on, phrases, in Arabic. */

import type { Message } from "../../core/i18n";
import type { enEvening } from "../en/evening";
import { seconds } from "./counted";

export const arEvening: { readonly [K in keyof typeof enEvening]: Message } = {
  "seat.grace": seconds("غايب، يلعب بوت بعد "),
  "seat.grace.clock": seconds("غايب، يلعب الوقت بدلًا بعد "),
  "seat.standIn": "البديل الآن: {name}",
  "seat.left": "خارج الطاولة",
  "seat.mine.bot": "بوت يلعب مكانك",
  "seat.mine.soon": "ترجع تلعب بعد هذه الحركة",
  "seat.mine.back": "رجعت تلعب",

  "table.frozen": "الطاولة متوقفة قليلًا، ووقتكم محفوظ",
  "table.aborted": "أُنهيت هذه الطاولة من إدارة الموقع",
  "table.aborted.more": "المباراة بلا نتيجة",

  "leave.title": "تطلع نهائيًا؟",
  "leave.more": "بوت يكمل بورقك حالًا، والنتيجة تنحسب لك، وما ترجع لهذه المباراة",
  "leave.more.coins": "الوقت يلعب بورقك، والنتيجة تنحسب لك، وما ترجع لهذه المباراة",
  "leave.yes": "اطلع",
  "left.title": "طلعت من هذه الطاولة",
  "left.more": "المباراة تكمل من دونك، ونتيجتها محسوبة",
  "left.more.series": "تقدر ترجع مع بداية المباراة التالية من السلسلة",

  "watch.title": "شاهد اللعب",
  "watch.more": "تشوف ما يشوفه الكل: الطاولة، ولا يد أحد",
  "watch.here": "أنت تشاهد",
  "watch.count": {
    zero: "ما في أحد يشاهد",
    one: "واحد يشاهد",
    two: "اثنان يشاهدان",
    few: "{n} يشاهدون",
    many: "{n} يشاهدون",
    other: "{n} يشاهدون",
  },
  "watch.seat": "ارجع لمقعدي",
  "watch.link": "رابط المشاهدة",
  "watch.won": "الفوز: {name}",

  "swap.title": "تبدّلون المقاعد؟",
  "swap.more": seconds("المباراة الثانية بعد "),
  "swap.ask": "بدّل مع {name}",
  "swap.agree": "موافق",
  "swap.wants": "طلب تبديل من {name}",
  "swap.waits": "بانتظار موافقة {name}",
  "swap.none": "ما طلب أحد التبديل",
  "swap.done": "تبدّلت المقاعد",

  "pause.ask": "اطلب استراحة",
  "pause.asked": "طلب استراحة من {name}",
  "pause.mine": "طلبت استراحة",
  "pause.agree": "موافق",
  "pause.back": "تراجع",
  "pause.waits": "بانتظار: {name}",
  "pause.title": "استراحة",
  "pause.more": "يكمل اللعب وحده بعد {time}",
  "pause.end": "كمّلوا اللعب",
  "pause.used": "أخذت المباراة استراحتها",

  "say.title": "قل شيئًا",
  "say.mute": "اكتم {name}",
  "say.wait": seconds("على مهلك، مرة ثانية بعد "),
  "say.said": "{name}: {text}",
};
