// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestOps.h"

#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::ir;

TEST(Attribute, OneTextHasOneValue) {
  EXPECT_TRUE(Attribute(Quantity(3)).is(AttrKind::Int));
  EXPECT_TRUE(Attribute(AffineExpr(3)).is(AttrKind::Int));
  EXPECT_TRUE(Attribute(Quantity(Rational(3), BaseUnit::Byte)).is(AttrKind::Quantity));
  EXPECT_EQ(Attribute(3).asQuantity(), Quantity(3));
  EXPECT_EQ(Attribute(3).asAffine(), AffineExpr(3));
  EXPECT_TRUE(Attribute("x").is(AttrKind::String));
  EXPECT_TRUE(Attribute(true).is(AttrKind::Bool));
  EXPECT_NE(Attribute("x"), Attribute::symbol("x"));
}

TEST(Attribute, DictionariesKeepTheirOrder) {
  AttrDict dict{{"b", 1}, {"a", 2}};
  dict.set("b", 3);
  EXPECT_EQ(Attribute(dict).text(), "{b = 3, a = 2}");
  EXPECT_EQ(dict.find("a")->asInt(), 2);
  EXPECT_EQ(dict.find("c"), nullptr);
  EXPECT_NE(dict, (AttrDict{{"a", 2}, {"b", 3}}));
}

TEST(Type, CountsElementsAndBytes) {
  Type type = Type::tensor({3, 5}, DType::Int4);
  EXPECT_EQ(*type.elements(), 15);
  EXPECT_EQ(*type.bytes(), 8);
  EXPECT_EQ(*Type::tensor({}, DType::FP32).bytes(), 4);
  EXPECT_FALSE(Type::tensor({INT64_MAX, 2}, DType::FP32).elements());
}

TEST(Operation, KeepsAttributesInDeclaredOrder) {
  Module module;
  Operation *op = Builder(testOps()).create(module.body(), "t.leaf", {});
  op->setAttr("kind", "one");
  op->setAttr("stray", 1);
  op->setAttr("count", 2);
  EXPECT_EQ(toString(*op), "t.leaf (count = 2, kind = \"one\", stray = 1)\n");
  op->removeAttr("kind");
  EXPECT_EQ(op->stringAttr("kind", "none"), "none");
  EXPECT_EQ(op->intAttr("count"), 2);
}

TEST(Module, FindsSymbolsAsTheyComeAndGo) {
  Module module;
  Builder builder(testOps());
  Operation *first = builder.create(module.body(), "t.any", {});
  first->setSymbol("a");
  Operation *second = builder.create(module.body(), "t.any", {});
  second->setSymbol("a");
  EXPECT_EQ(module.lookup("a"), first);
  EXPECT_EQ(module.uniqueName("a"), "a_1");
  EXPECT_EQ(module.uniqueName("b"), "b");
  first->erase();
  EXPECT_EQ(module.lookup("a"), second);
  second->setSymbol("b");
  EXPECT_EQ(module.lookup("a"), nullptr);
  EXPECT_EQ(module.lookup("b"), second);
}

TEST(Module, FindsTheFirstOfSymbolsThatSeveralBear) {
  Module module;
  Builder builder(testOps());
  std::vector<Operation *> bearers;
  for (int i = 0; i < 5; ++i) {
    bearers.push_back(builder.create(module.body(), "t.any", {}));
    bearers.back()->setSymbol("a");
  }
  bearers[2]->erase(); // neither the first nor the last
  bearers[0]->erase();
  EXPECT_EQ(module.lookup("a"), bearers[1]);
  bearers[1]->setSymbol("b");
  EXPECT_EQ(module.lookup("a"), bearers[3]);
  bearers[1]->setSymbol("a");
  EXPECT_EQ(module.lookup("a"), bearers[1]);
  for (int i : {4, 1, 3}) {
    EXPECT_NE(module.lookup("a"), nullptr);
    bearers[i]->erase();
  }
  EXPECT_EQ(module.lookup("a"), nullptr);
}

TEST(Region, ClonesWithValuesMapped) {
  ParsedText parsed(
      "%x = t.make : none\n%y = t.nest %x : none {\n  |%z: none|\n  t.use %z\n  t.use %x\n}\n");
  ASSERT_TRUE(parsed.module) << parsed.errors();
  Region &top = parsed.module->body();
  Value &replacement = Builder(testOps()).create(top, "t.make", {})->addResult(Type(), "r");
  ValueMap map;
  map[&top.front().result()] = &replacement;
  Operation &nest = *std::next(top.begin());
  Operation &copy = nest.clone(top, map);
  EXPECT_EQ(&copy.operand(0), &replacement);
  EXPECT_EQ(&copy.body().front().operand(0), &copy.body().argument(0));
  EXPECT_EQ(&copy.body().back().operand(0), &replacement);
  EXPECT_EQ(map.lookup(&nest.result()), &copy.result());
  EXPECT_EQ(copy.parentRegion(), &top);
}

TEST(Region, ReplacesUsesAndErasesInAWalk) {
  ParsedText parsed(
      "%x = t.make : none\n%y = t.make : none\nt.nest {\n  t.use %x\n  t.leaf (count = 1)\n}\n");
  ASSERT_TRUE(parsed.module);
  Region &top = parsed.module->body();
  top.replaceUses(top.front().result(), std::next(top.begin())->result());
  top.walkPost([](Operation &op) {
    if (op.is("t.leaf"))
      op.erase();
  });
  EXPECT_EQ(toString(*parsed.module),
            "%x = t.make : none\n%y = t.make : none\nt.nest {\n  t.use %y\n}\n");
}

TEST(Region, MovesOperations) {
  ParsedText parsed("t.any @a\nt.any @b\n");
  Region &top = parsed.module->body();
  top.back().moveBefore(top.front());
  EXPECT_EQ(toString(*parsed.module), "t.any @b\nt.any @a\n");
  EXPECT_TRUE(parsed.module->lookup("a"));
  EXPECT_TRUE(parsed.module->lookup("b"));
}
