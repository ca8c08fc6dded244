// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Quantity.h"
#include "ir/common/Written.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace perfc;

static Quantity read(llvm::StringRef text) {
  llvm::StringRef bad;
  auto quantity = parseNumber(text, bad);
  EXPECT_TRUE(quantity.hasValue()) << text.str() << ": " << bad.str();
  return quantity ? *quantity : Quantity();
}

static std::string exactText(llvm::StringRef text) { return read(text).text(); }

static Quantity compute(llvm::StringRef op, llvm::StringRef a, llvm::StringRef b) {
  QuantityError error;
  auto result = apply(op, read(a), read(b), error);
  EXPECT_TRUE(result.hasValue()) << a.str() << op.str() << b.str();
  return result ? *result : Quantity();
}

/// A quantity, or a plain integer where that is all there is to say.
struct Operand : Quantity {
  Operand(int64_t integer) : Quantity(Rational(integer)) {}
  Operand(const Quantity &quantity) : Quantity(quantity) {}
};

static QuantityError failure(llvm::StringRef op, const Operand &a, const Operand &b) {
  QuantityError error;
  EXPECT_FALSE(apply(op, a, b, error).hasValue());
  return error;
}

TEST(Units, ScaleToBaseUnits) {
  EXPECT_EQ(exactText("108KiB"), "110592B");
  EXPECT_EQ(exactText("4.8TB/s"), "4800000000000B/s");
  EXPECT_EQ(exactText("25GB/s/chip"), "25000000000B/s/chip");
  EXPECT_EQ(exactText("8b"), "1B");
  EXPECT_EQ(exactText("1b"), "0.125B");
  EXPECT_EQ(exactText("1.98GHz"), "1980000000/s");
  EXPECT_EQ(exactText("250W"), "250J/s");
  EXPECT_EQ(exactText("0.7us"), "0.0000007s");
  EXPECT_EQ(exactText("6pJ/B"), "0.000000000006J/B");
  EXPECT_EQ(exactText("1min"), "60s");
  EXPECT_EQ(exactText("1day"), "86400s");
  EXPECT_EQ(exactText("1024/cycle"), "1024/cycle");
  EXPECT_EQ(exactText("8Kchip"), "8000chip");
}

TEST(Units, PrefixOfAnAreaIsSquared) {
  EXPECT_EQ(exactText("826mm2"), "0.000826m^2");
  EXPECT_EQ(exactText("1cm2"), "0.0001m^2");
  EXPECT_EQ(exactText("1000000um2"), exactText("1mm2"));
}

TEST(Units, SmallAndCapitalKiloAreTheSame) {
  EXPECT_EQ(read("3kB"), read("3KB"));
  EXPECT_EQ(read("3ktoken"), read("3Ktoken"));
}

TEST(Units, WholeNamesWinOverPrefixes) {
  EXPECT_EQ(exactText("2min"), "120s");
  EXPECT_EQ(exactText("2ms"), "0.002s");
  EXPECT_EQ(exactText("2h"), "7200s");
  EXPECT_EQ(exactText("2hop"), "2hop");
}

TEST(Units, RatiosAreNumbers) {
  EXPECT_EQ(exactText("8%"), "0.08");
  EXPECT_EQ(exactText("2x"), "2");
}

TEST(Units, UnknownPartIsNamed) {
  const std::pair<llvm::StringRef, llvm::StringRef> wrong[] = {
      {"4GiB/n", "n"},       {"3bytes", "bytes"}, {"1KiHz", "KiHz"},
      {"2mtoken", "mtoken"}, {"2mB", "mB"},       {"7kmin", "kmin"}};
  for (auto [text, part] : wrong) {
    llvm::StringRef bad;
    EXPECT_FALSE(parseNumber(text, bad).hasValue()) << text.str();
    EXPECT_EQ(bad.str(), part.str()) << text.str();
  }
  llvm::StringRef bad;
  EXPECT_FALSE(parseUnit("B/", bad).hasValue());
  EXPECT_FALSE(bad.empty());
  EXPECT_FALSE(parseUnit("B//s", bad).hasValue());
  EXPECT_FALSE(bad.empty());
}

TEST(Units, EveryNameForSuggestionsIsAUnit) {
  for (llvm::StringRef name : unitNames()) {
    llvm::StringRef bad;
    EXPECT_TRUE(parseUnit(name, bad).hasValue()) << name.str();
  }
}

TEST(Dimension, TextAndMeaning) {
  Dimension second(BaseUnit::Second), joule(BaseUnit::Joule);
  EXPECT_EQ((Dimension() / second).unitText(), "/s");
  EXPECT_EQ((joule * second).unitText(), "s*J");
  EXPECT_EQ((joule / second / second).unitText(), "J/s^2");
  EXPECT_EQ(Dimension().describe(), "a plain number");
  EXPECT_TRUE(Dimension(BaseUnit::Token).isCount());
  EXPECT_FALSE(Dimension(BaseUnit::Cycle).isCount());
  EXPECT_FALSE((Dimension(BaseUnit::Token) * Dimension(BaseUnit::Chip)).isCount());
  EXPECT_EQ((second / BaseUnit::Chip).withoutCounts(), second);
  EXPECT_FALSE(second.power(*Rational::make(1, 2)).hasValue());
  EXPECT_EQ(*Dimension(BaseUnit::Metre, 2).power(*Rational::make(1, 2)), BaseUnit::Metre);
}

TEST(Quantity, DecimalsAreExact) {
  EXPECT_EQ(compute("+", "0.1", "0.2"), read("0.3"));
  EXPECT_EQ(read("1e3"), read("1000"));
  EXPECT_EQ(read("1.5e-3s"), read("1.5ms"));
  EXPECT_EQ(compute("/", "7", "3").text(), "7|3");
  EXPECT_EQ(compute("*", "6pJ/B", "108KiB").text(), "0.000000663552J");
}

TEST(Quantity, WholeNumbersFitOrAreRefused) {
  EXPECT_EQ(exactText("9223372036854775807"), "9223372036854775807");
  llvm::StringRef bad = "x";
  EXPECT_FALSE(parseNumber("9223372036854775808", bad).hasValue());
  EXPECT_TRUE(bad.empty());
  EXPECT_FALSE(parseNumber("99999999999999999999999B", bad).hasValue());
  Quantity real = read("1e30");
  EXPECT_FALSE(real.isExact());
  EXPECT_EQ(real.toDouble(), 1e30);
  EXPECT_FALSE(read("0.12345678901234567890123").isExact());
  EXPECT_FALSE(parseNumber("1e999", bad).hasValue());
}

TEST(Quantity, OverflowIsAnErrorForIntegersOnly) {
  Quantity large = read("9223372036854775807");
  EXPECT_EQ(failure("+", large, 1), QuantityError::Overflow);
  EXPECT_EQ(failure("*", large, 2), QuantityError::Overflow);
  EXPECT_EQ(failure("-", *parseQuantity("-9223372036854775807"), 2), QuantityError::Overflow);
  EXPECT_EQ(failure("^", 10, 19), QuantityError::Overflow);
  EXPECT_EQ(failure("^", 10, Quantity(INT64_MAX)), QuantityError::Overflow);
  EXPECT_FALSE(compute("*", "0.000000001", "0.0000000000001").isExact());
}

TEST(Quantity, DivisionAndRemainder) {
  EXPECT_EQ(compute("/", "4096B", "1KiB").text(), "4");
  EXPECT_EQ(compute("%", "7", "3").text(), "1");
  QuantityError error;
  EXPECT_EQ(apply("%", Quantity(-7), Quantity(3), error)->text(), "2");
  EXPECT_EQ(apply("%", Quantity(-7), Quantity(-3), error)->text(), "2");
  EXPECT_EQ(apply("%", Quantity(-6), Quantity(3), error)->text(), "0");
  EXPECT_EQ(compute("%", "0.75", "0.5").text(), "0.25");
  EXPECT_EQ(failure("/", 1, 0), QuantityError::DivisionByZero);
  EXPECT_EQ(failure("%", 1, 0), QuantityError::DivisionByZero);
  EXPECT_EQ(failure("^", 0, -1), QuantityError::DivisionByZero);
}

TEST(Quantity, Powers) {
  EXPECT_EQ(compute("^", "2", "10").text(), "1024");
  EXPECT_EQ(compute("^", "3mm2", "0.5").dimension(), BaseUnit::Metre);
  Quantity root = compute("^", "2", "0.5");
  EXPECT_FALSE(root.isExact());
  EXPECT_DOUBLE_EQ(root.toDouble(), std::sqrt(2));
  EXPECT_EQ(failure("^", -1, read("0.5")), QuantityError::Domain);
  EXPECT_EQ(failure("^", read("2s"), read("0.5")), QuantityError::Dimension);
  EXPECT_EQ(failure("^", 2, read("2s")), QuantityError::Dimension);
}

TEST(Quantity, DimensionsAreChecked) {
  EXPECT_EQ(failure("+", read("1B"), read("1s")), QuantityError::Dimension);
  EXPECT_EQ(failure("+", read("1token"), read("1req")), QuantityError::Dimension);
  EXPECT_EQ(failure("-", read("1s"), 1), QuantityError::Dimension);
  EXPECT_EQ(failure("%", read("1cycle"), 1), QuantityError::Dimension);
  EXPECT_EQ(compute("+", "1", "2token").text(), "3token");
  EXPECT_EQ(compute("-", "5token", "2").text(), "3token");
  EXPECT_EQ(compute("*", "2GB/s", "3s").text(), "6000000000B");
}

TEST(Quantity, UncertaintyPropagatesToFirstOrder) {
  Quantity x(Uncertain(4, 0.4, 1), BaseUnit::Second), y(Uncertain(3, 0.3, 2), BaseUnit::Second);
  QuantityError error;
  EXPECT_DOUBLE_EQ(apply("+", x, y, error)->toUncertain().halfWidth(), 0.5);
  EXPECT_DOUBLE_EQ(apply("-", x, x, error)->toUncertain().halfWidth(), 0);
  // What cancels but for rounding is certain.
  Quantity third = *apply("/", x, Quantity(3), error);
  EXPECT_TRUE(apply("/", third, x, error)->toUncertain().isCertain());
  EXPECT_DOUBLE_EQ(apply("^", x, Quantity(2), error)->toUncertain().halfWidth(), 2 * 4 * 0.4);
  EXPECT_DOUBLE_EQ(apply("%", x, y, error)->toDouble(), 1);
  EXPECT_DOUBLE_EQ(apply("%", x, y, error)->toUncertain().halfWidth(), 0.5);
  Quantity exponent(Uncertain(2, 0.1, 3), {});
  EXPECT_DOUBLE_EQ(apply("^", Quantity(3), exponent, error)->toUncertain().halfWidth(),
                   9 * std::log(3) * 0.1);
}

TEST(Quantity, ComparisonIsByValue) {
  EXPECT_LT(compare(read("1us"), read("1ms")), 0);
  EXPECT_EQ(compare(read("0.5"), Quantity(Uncertain(0.5), {})), 0);
  EXPECT_NE(read("0.5"), Quantity(Uncertain(0.5), {}));
  EXPECT_GT(compare(Quantity(INT64_MAX), Quantity(INT64_MAX - 1)), 0);
}

TEST(Quantity, TextOfRandomQuantitiesReadsBack) {
  std::mt19937_64 random(20240611);
  auto integer = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 20000; ++i) {
    Dimension dimension;
    for (int factors = integer(0, 3); factors > 0; --factors)
      dimension = dimension *
                  Dimension(static_cast<BaseUnit>(integer(0, baseUnitCount - 1)), integer(-3, 3));
    int64_t limit = INT64_MAX >> integer(0, 62);
    Quantity quantity;
    if (i % 3 == 0) {
      quantity = Quantity(Rational(integer(-limit, limit)), dimension);
    } else if (i % 3 == 1) {
      int64_t below = i % 2 ? *checkedMultiply(1LL << integer(0, 30), integer(1, 625)) : limit;
      quantity = Quantity(*Rational::make(integer(-limit, limit), below), dimension);
    } else {
      llvm::SmallVector<Uncertain::Contribution, 3> parts;
      for (int count = integer(0, 3); count > 0; --count)
        parts.push_back({random(), std::ldexp(static_cast<double>(integer(-limit, limit)),
                                              integer(-300, 100))});
      double value = std::ldexp(static_cast<double>(integer(-limit, limit)), integer(-300, 300));
      quantity = Quantity(Uncertain(value, parts), dimension);
    }
    auto back = parseQuantity(quantity.text());
    ASSERT_TRUE(back.hasValue()) << quantity.text();
    ASSERT_EQ(*back, quantity) << quantity.text() << " became " << back->text();
    ASSERT_EQ(back->text(), quantity.text());
  }
}

TEST(Quantity, WhatIsNoQuantityIsRefused) {
  for (llvm::StringRef text : {"", "-", "x", "1 B", "1|0", "1|", "~", "~x", "1q", "1 +- 2", "1e"})
    EXPECT_FALSE(parseQuantity(text).hasValue()) << text.str();
}

TEST(Format, PicksAPrefix) {
  auto format = [](llvm::StringRef text) {
    Quantity quantity = read(text);
    return formatEngineering(quantity.toDouble(), quantity.dimension());
  };
  EXPECT_EQ(format("6.0214ms"), "6.021 ms");
  EXPECT_EQ(format("108KiB"), "108.0 KiB");
  EXPECT_EQ(format("80GiB"), "80.00 GiB");
  EXPECT_EQ(format("2039GB/s"), "2.039 TB/s");
  EXPECT_EQ(format("312TFLOP/s"), "312.0 TFLOP/s");
  EXPECT_EQ(format("1.024mJ"), "1.024 mJ");
  EXPECT_EQ(format("250W"), "250.0 W");
  EXPECT_EQ(format("1.98GHz"), "1.980 GHz");
  EXPECT_EQ(format("826mm2"), "826.0 mm2");
  EXPECT_EQ(format("12um2"), "12.00 um2");
  EXPECT_EQ(format("118013952"), "118,013,952");
  EXPECT_EQ(format("1234token"), "1,234 tokens");
  EXPECT_EQ(format("0.8333333"), "0.8333");
}

TEST(Format, UsesUnitsThatPeopleUse) {
  auto format = [](double value, llvm::StringRef unit) {
    llvm::StringRef bad;
    return formatEngineering(value, parseUnit(unit, bad)->dimension);
  };
  // Time in whole units, never kiloseconds.
  EXPECT_EQ(format(999.9, "s"), "999.9 s");
  EXPECT_EQ(format(1000, "s"), "16.67 min");
  EXPECT_EQ(format(7199, "s"), "120.0 min");
  EXPECT_EQ(format(7200, "s"), "2.000 h");
  EXPECT_EQ(format(3.024e6, "s"), "35.00 days");
  EXPECT_EQ(format(0, "s"), "0 s");
  // Areas of chips in mm2 down to a hundredth.
  EXPECT_EQ(format(0.417e-6, "m2"), "0.4170 mm2");
  EXPECT_EQ(format(4800e-12, "m2"), "4800 um2");
  EXPECT_EQ(format(0.4229, "m2"), "422,900 mm2");
  // Counts and money without prefixes.
  EXPECT_EQ(format(395987.3, "token/s"), "395,987 tokens/s");
  EXPECT_EQ(format(0.5, "token/s"), "0.5000 tokens/s");
  EXPECT_EQ(format(0.0016, "req/s"), "1.600 req per 1000 s");
  EXPECT_EQ(format(12.5, "token/s/chip"), "12.50 tokens/s/chip");
  EXPECT_EQ(format(0.012, "token/J"), "0.01200 tokens/J");
  EXPECT_EQ(format(12345.6, "USD"), "12,346 USD");
  EXPECT_EQ(format(31.86e-6, "USD"), "0.00003186 USD");
  EXPECT_EQ(format(1.321e-6, "USD/token"), "1.321 USD per million tokens");
  EXPECT_EQ(format(0.02, "USD/token"), "0.02000 USD/token");
  EXPECT_EQ(format(8192, "Hz"), "8192 per s");
  // The prefix is the energy's, and never that of a square.
  EXPECT_EQ(format(20500, "s*J"), "20.50 kJ*s");
  EXPECT_EQ(format(471.6e-9, "J*s"), "471.6 nJ*s");
  EXPECT_EQ(format(1234, "s^2"), "1234 s^2");
  EXPECT_EQ(format(0.0123, "s/token"), "12.30 ms/token");
  EXPECT_EQ(format(1.5e18, "FLOP/s"), "1.500 EFLOP/s");
  EXPECT_EQ(format(195319 * 1099511627776.0, "B"), "190.7 PiB");
}

TEST(Format, SizesKeepTheBaseInWhichTheyAreWritten) {
  auto format = [](llvm::StringRef text) { return formatEngineering(read(text)); };
  EXPECT_EQ(format("24GB"), "24.00 GB");
  EXPECT_EQ(format("24GiB"), "24.00 GiB");
  EXPECT_EQ(format("65536B"), "64.00 KiB");
  EXPECT_EQ(format("1.5MB"), "1.500 MB");
  EXPECT_EQ(format("23456MB"), "23.46 GB");
  EXPECT_EQ(format("512B"), "512.0 B");
  EXPECT_EQ(format("0B"), "0 B");
  EXPECT_EQ(formatSize(21.6e9, writtenBase(24e9)), "21.60 GB");
  EXPECT_EQ(formatSize(21.6e9, writtenBase(24 * 1073741824.0)), "20.12 GiB");
  // Every size of three digits, in all units of both.
  for (llvm::StringRef unit : {"kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"})
    for (int number = 1; number < 1000; ++number) {
      Quantity quantity = read(std::to_string(number) + unit.str());
      bool isBinary = unit.contains('i');
      // 125 * 2^k kB and 128 * 2^k MiB are short in both: 256 MB is no power of two of bytes.
      if (writtenBase(quantity.toDouble()) == SizeBase::Binary)
        EXPECT_TRUE(isBinary || number % 128 == 0) << number << unit.str();
      else
        EXPECT_FALSE(isBinary) << number << unit.str();
    }
}

TEST(Format, RoundingCarriesIntoTheNextPrefix) {
  EXPECT_EQ(formatEngineering(0.99996e-3, BaseUnit::Second), "1.000 ms");
  EXPECT_EQ(formatEngineering(9.9996, Dimension()), "10.00");
  EXPECT_EQ(formatEngineering(1e20, Dimension()), "1.000e+20");
}

TEST(Written, IsWhatAProgramSays) {
  auto real = [](double value, Dimension dimension, double width = 0) {
    return written(Quantity(Uncertain(value, width, 7), dimension));
  };
  using enum BaseUnit;
  EXPECT_EQ(real(12e-9, Second, 1.2e-9), "12ns +- 10%");
  EXPECT_EQ(real(12.8e9, Dimension(Byte) / Second, 0.64e9), "12.8GB/s +- 5%");
  EXPECT_EQ(real(1.98e9, Dimension() / Second, 0.01e9), "1.98GHz +- 0.5051%");
  EXPECT_EQ(real(0, Second, 2e-6), "0s +- 2e-06s");
  EXPECT_EQ(real(3, {}, 0.3), "3 +- 10%");
  EXPECT_EQ(real(2.5, Token, 1), "2.5token +- 40%");
  EXPECT_EQ(real(0.002, Dimension(Token) / Second), "0.002token/s"); // there is no mtoken
  EXPECT_EQ(real(1.41421356237, {}), "1.41421");
  EXPECT_EQ(written(Quantity(*Rational::make(1, 3), Second)), "333.333ms");
}

TEST(Written, ShortensWhatIsExact) {
  for (llvm::StringRef text : {"1.6GB/s", "64KiB", "16nm", "1kB", "1200B", "1GHz", "0.35mm2",
                               "4pJ/b", "100000", "1Mtoken/s", "0.5", "0B", "3W", "1234567B"}) {
    Quantity value = read(text.str());
    EXPECT_EQ(written(value), text == "4pJ/b" ? "32pJ/B" : text.str());
    EXPECT_EQ(read(written(value)).text(), value.text());
  }
}

TEST(Written, ReadsBackToSixDigits) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-14, 14), mantissa(1, 10);
  using enum BaseUnit;
  const Dimension dimensions[] = {{},
                                  Second,
                                  Byte,
                                  Joule,
                                  Dimension(Byte) / Second,
                                  Dimension(Joule) / Second,
                                  Dimension() / Second,
                                  Dimension(Joule) / Byte,
                                  Dimension(Metre, 2),
                                  Dimension(Flop) / Second,
                                  Dimension() / Cycle,
                                  Dimension(Request) / Second};
  for (int round = 0; round < 2000; ++round) {
    Dimension dimension = dimensions[random() % std::size(dimensions)];
    double value = mantissa(random) * std::pow(10, std::floor(exponent(random)));
    std::string text = written(Quantity(Uncertain(value), dimension));
    llvm::StringRef bad;
    auto back = parseNumber(text, bad);
    ASSERT_TRUE(back.hasValue()) << text;
    EXPECT_EQ(back->dimension(), dimension) << text;
    EXPECT_NEAR(back->toDouble() / value, 1, 1e-5) << text;
  }
}
