"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const find = name => document.getElementById(name);
const slider = find("slider"), play = find("play"), speed = find("speed"), cursor = find("cursor");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const span = data.end - data.start, last = +slider.max, seconds = 14;
const digits = span < 10 ? 2 : span < 1000 ? 1 : 0;
const number = value => value.toLocaleString("en", { maximumFractionDigits: 0 });
const clock = t => t.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const when = t => data.timed ? `${clock(t)} ms after the event` : `${clock(t)} overlay hops from the source`;

// What appears once, sorted by when: only those between two moments change from one to the other.
const marks = [...document.querySelectorAll("[data-at]")].map(mark => ({ mark, at: +mark.dataset.at }));
marks.sort((one, other) => one.at - other.at);
const phases = [...document.querySelectorAll("[data-from]")];
const fresh = marks.filter(({ mark }) => mark.closest(".lit, .crosses"));
const panels = [...document.querySelectorAll(".panel")].map((panel, at) => makePanel(panel, data.trips[at]));
let seen = 0, now = data.end, timer = 0, frame = 0;

function makePanel(panel, trip) {
  for (const mark of panel.querySelectorAll("[data-broker]"))
    mark.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "title")).textContent = `broker ${mark.dataset.broker}`;
  const sum = counts => counts.reduce((one, other) => one + other, 0);
  const most = Math.max(1, ...Object.values(perGateway(trip.told, Infinity)));
  for (const flights of [trip.flights, trip.events]) {
    flights.share = new Map(flights.lost);
    flights.repeats = new Set(flights.again);
  }
  return {
    trip, most, total: sum(trip.told.count), counts: panel.querySelector(".counts"),
    dots: panel.querySelector(".flights"),
    brokers: [...panel.querySelectorAll(".brokers [data-broker]")], bare: [...panel.querySelectorAll(".bare [data-broker]")],
    server: panel.querySelector(".map rect.mark"),
  };
}

function perGateway(told, t) {
  const sums = {};
  for (let at = 0; at < told.at.length && told.at[at] <= t; at++)
    sums[told.gateway[at]] = (sums[told.gateway[at]] ?? 0) + told.count[at];
  return sums;
}

function place(way, share) {
  const points = data.ways[way];
  let at = 1;
  while (at < points.length - 1 && points[at][2] < share) at++;
  const [x, y, before] = points[at - 1] ?? points[0], [X, Y, after] = points[at] ?? points[0];
  const part = after > before ? (share - before) / (after - before) : 0;
  return [x + (X - x) * part, y + (Y - y) * part];
}

// What of some flights is under way at a moment, lost or sent again by then; how dots look is told by their class.
function flying(flights, t, name) {
  const dots = [], sums = { away: 0, lost: 0, again: 0 };
  for (let at = 0; at < flights.way.length && flights.from[at] <= t; at++) {
    const weight = flights.weight[at], repeated = flights.repeats.has(at);
    if (repeated) sums.again += weight;
    if (flights.to[at] <= t) { if (flights.share.has(at)) sums.lost += weight; continue; }
    sums.away += weight;
    const share = (flights.share.get(at) ?? 1) * (t - flights.from[at]) / (flights.to[at] - flights.from[at]);
    const [x, y] = place(flights.way[at], share);
    dots.push({ x, y, weight, look: repeated ? "again" : name });
  }
  return { dots, sums };
}

function showDots(panel, dots) {
  while (panel.dots.childElementCount > dots.length) panel.dots.lastChild.remove();
  while (panel.dots.childElementCount < dots.length)
    panel.dots.append(document.createElementNS("http://www.w3.org/2000/svg", "circle"));
  dots.forEach((dot, at) => {
    const circle = panel.dots.children[at];
    circle.setAttribute("cx", dot.x.toFixed(1));
    circle.setAttribute("cy", dot.y.toFixed(1));
    circle.setAttribute("r", Math.min(4 + 1.2 * Math.log2(dot.weight), 10).toFixed(1));
    circle.setAttribute("class", dot.look);
  });
}

function showPanel(panel, t) {
  const { trip } = panel, messages = flying(trip.flights, t, "message"), sums = perGateway(trip.told, t);
  showDots(panel, [...flying(trip.events, t, "event").dots, ...messages.dots]);
  const wrong = trip.outages.filter(([, , from, to]) => from <= t && t < to);
  const is = (what, broker) => wrong.some(outage => outage[0] === what && outage[1] === broker);
  panel.brokers.forEach(circle => {
    const broker = +circle.dataset.broker, told = sums[broker], down = is("down", broker), apart = is("apart", broker);
    circle.setAttribute("class", [told === undefined ? "" : "on", down ? "down" : "", apart ? "apart" : ""].join(" ").trim());
    const grown = told === undefined ? 1 : 1 + 1.4 * Math.sqrt(told / panel.most);
    circle.setAttribute("r", (data.radius * Math.max(grown, down || apart ? 1.5 : 1)).toFixed(1));
  });
  for (const circle of panel.bare) {
    const broker = +circle.dataset.broker;
    circle.setAttribute("class", is("down", broker) ? "down" : is("apart", broker) ? "apart" : "");
  }
  if (panel.server) panel.server.classList.toggle("failed", wrong.some(outage => outage[0] === "server"));
  const told = Object.values(sums).reduce((one, other) => one + other, 0), reached = Object.keys(sums).length;
  const rows = [["under way", number(messages.sums.away)], [data.zoned ? "zones reached" : "brokers reached",
    `${number(reached)} of ${number(trip.reached.length)}`], ["told", panel.total ? `${Math.floor(100 * told / panel.total)}%` : "nobody"]];
  if (trip.flights.lost.length || trip.flights.again.length || trip.outages.length)
    rows.push(["lost", number(messages.sums.lost)], ["sent again", number(messages.sums.again)],
      ["down or cut off", number(new Set(wrong.map(outage => outage[1])).size)]);
  panel.counts.innerHTML = "";
  for (const [name, value] of rows) {
    const row = panel.counts.appendChild(document.createElement("div"));
    row.appendChild(document.createElement("dt")).textContent = name;
    row.appendChild(document.createElement("dd")).textContent = value;
  }
  return `${trip.name}: ${rows.map(([name, value]) => `${name} ${value}`).join(", ")}`;
}

function show(t) {
  now = Math.min(data.end, Math.max(data.start, t));
  const position = Math.round((now - data.start) / span * last);
  slider.value = position;
  slider.setAttribute("aria-valuetext", when(now));
  while (seen < marks.length && marks[seen].at <= now) marks[seen++].mark.classList.add("on");
  while (seen > 0 && marks[seen - 1].at > now) marks[--seen].mark.classList.remove("on");
  for (const { mark, at } of fresh) mark.classList.toggle("fresh", at <= now && now < Math.min(at + span / 25, data.end));
  for (const phase of phases)
    phase.style.display = now >= +phase.dataset.from && now < +(phase.dataset.to ?? Infinity) ? "inline" : "none";
  const { left, right } = cursor.dataset, x = +left + (now - data.start) / span * (right - left);
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
  find("now").textContent = when(now);
  return panels.map(panel => showPanel(panel, now)).join("; ");
}

const tell = t => { find("told").textContent = `${show(t)}`; };
function stop() {
  clearInterval(timer);
  cancelAnimationFrame(frame);
  timer = frame = 0;
  if (play.textContent === "Pause") tell(now);
  play.textContent = "Play";
}
function go(by) {
  const near = span / 1e6;
  const next = by > 0 ? data.moments.find(t => t > now + near) : data.moments.findLast(t => t < now - near);
  tell(next ?? (by > 0 ? data.end : data.start));
}
function start() {
  if (now >= data.end) show(data.start);
  play.textContent = "Pause";
  if (still.matches) { timer = setInterval(() => { go(1); if (now >= data.end) stop(); }, 800 / speed.value); return; }
  let before = performance.now();
  const tick = time => {
    show(now + Math.max(0, time - before) / 1000 * span / seconds * speed.value);
    before = time;
    if (now >= data.end) stop(); else frame = requestAnimationFrame(tick);
  };
  frame = requestAnimationFrame(tick);
}
const toggle = () => play.textContent === "Pause" ? stop() : start();
function pace() {
  const each = span / seconds * speed.value;
  find("pace").textContent = still.matches ? "" : `a second here is ${each < 10 ? each.toFixed(1) : number(each)} ${data.timed ? "ms" : "hops"}`;
}
slider.addEventListener("input", () => { stop(); tell(data.start + slider.value / last * span); });
play.addEventListener("click", toggle);
speed.addEventListener("change", pace);
find("back").addEventListener("click", () => { stop(); go(-1); });
find("on").addEventListener("click", () => { stop(); go(1); });
document.addEventListener("keydown", event => {
  if (event.target === speed || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); toggle(); }
  if (event.target === slider) return;
  if (event.key === "ArrowRight") { stop(); go(1); }
  if (event.key === "ArrowLeft") { stop(); go(-1); }
});
document.addEventListener("pointerover", event => {
  const broker = event.target.dataset?.broker, own = event.target.closest?.(".panel");
  for (const mark of document.querySelectorAll(".same")) mark.classList.remove("same");
  if (broker === undefined) return;
  for (const mark of own.querySelectorAll(`[data-broker="${broker}"]`)) mark.classList.add("same");
});
document.documentElement.classList.add("scripted");
find("steps").hidden = false;
pace();
tell(data.start);
